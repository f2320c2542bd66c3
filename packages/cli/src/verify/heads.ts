import { readFileSync } from 'node:fs'
import { jwtIn } from './receipts.ts'

/**
 * The signed heads in files: each is a checkpoint, a proof, or has one token per line, as text or in the `token` of a JSON
 * object, such as a response.
 *
 * @throws Error when a file cannot be read
 */
export function readHeads(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const tokens = [text, ...text.split('\n')].flatMap((one) => jwtIn(one.trim(), 'token') ?? [])
    return tokens.length > 0 ? [...new Set(tokens)] : [text]
  })
}
