const RANDOM_BYTES = 10
const COUNTED_RANDOM_BYTES = 8
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * A UUID of version 7: 48 bits of Unix milliseconds, then 74 random bits, so that ids sort by time.
 *
 * @param now the time that the id carries
 *
 * Source: RFC 9562, section 5.7.
 */
export function uuidv7(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80
  const tail = toHex(random)
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`
}

/**
 * Distinct UUIDs of version 7 for the same time, in ascending order: a counter of 12 bits, then 62 random bits.
 *
 * @param now the time that the ids carry
 * @param count at most 4096
 *
 * Source: RFC 9562, section 6.2, method 1.
 */
export function uuidsv7(now: Date, count: number): string[] {
  const time = now.getTime().toString(16).padStart(12, '0')
  const head = `${time.slice(0, 8)}-${time.slice(8)}-7`
  const random = toHex(crypto.getRandomValues(new Uint8Array(COUNTED_RANDOM_BYTES * count)))
  return Array.from({ length: count }, (_, n) => {
    const tail = random.slice(2 * COUNTED_RANDOM_BYTES * n, 2 * COUNTED_RANDOM_BYTES * (n + 1))
    const variant = '89ab'.charAt(Number.parseInt(tail.charAt(0), 16) & 3)
    return `${head}${n.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  })
}

/** The id of a webhook event: `evt_` and a UUIDv7 without dashes. */
export function eventId(now: Date): string {
  return `evt_${uuidv7(now).replaceAll('-', '')}`
}

/** Bytes as lowercase hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += HEX[byte]
  return hex
}

/** The bytes of an even number of hexadecimal digits. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2)
  for (let n = 0; n < bytes.length; n++) bytes[n] = Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16)
  return bytes
}
