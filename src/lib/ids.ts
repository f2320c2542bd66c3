const RANDOM_BYTES = 10
const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * A UUID of version 7: 48 bits of Unix milliseconds, then 74 random bits, so that ids sort by time.
 *
 * @param now the time that the id carries
 * @param nth if given, the id is that of a part of a request (see uuidOfPart)
 *
 * Source: RFC 9562, section 5.7.
 */
export function uuidv7(now: Date, nth?: number): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80
  const tail = toHex(random)
  const id = `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`
  return nth === undefined ? id : uuidOfPart(id, nth)
}

/** The time that a UUID of version 7 carries. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/**
 * The id of a part of a request: parts have the same random bits, or their own, and sort by their position.
 *
 * @param id a UUID of version 7
 * @param nth replaces its first 12 random bits: at most 4095
 *
 * Source: RFC 9562, section 6.2, method 1.
 */
export function uuidOfPart(id: string, nth: number): string {
  return `${id.slice(0, 15)}${nth.toString(16).padStart(3, '0')}${id.slice(18)}`
}

/** The id of a webhook event: `evt_` and a UUIDv7 without dashes. */
export function eventId(now: Date, nth?: number): string {
  return `evt_${uuidv7(now, nth).replaceAll('-', '')}`
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
