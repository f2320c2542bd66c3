/**
 * Reads the body of a response of unknown size.
 *
 * @returns its bytes; null if there are more than `maxBytes`, and then the rest is not read
 * @throws the error of the stream if it is interrupted or aborted
 */
export async function readAtMost(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array()
  const bytes = new Uint8Array(maxBytes)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.subarray(0, length)
    if (length + value.byteLength > maxBytes) {
      await reader.cancel().catch(() => undefined)
      return null
    }
    bytes.set(value, length)
    length += value.byteLength
  }
}
