const POLYNOMIAL = 0xedb88320

/**
 * CRC-32 of a text of ASCII characters, as an unsigned integer.
 *
 * Source: ISO 3309, the polynomial of zip and PNG.
 */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
