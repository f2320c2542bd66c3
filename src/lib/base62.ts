const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const UNBIASED_BELOW = 248 // 4 × 62: larger bytes would make the first eight characters more likely

/** A random text of base62 characters; each holds log2(62) = 5.95 bits. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < UNBIASED_BELOW && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}

/** A non-negative integer in base62, padded with zeros to `length`. */
export function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text
  return text.padStart(length, '0')
}
