import { checkMatches, REG_PATTERN } from '../../src/lib/agent-number.ts'

/** An invalid argument; the message names it and its rule. */
export class WrongWords extends Error {}

/**
 * Reads the base URL of a service.
 *
 * @returns its origin, without a trailing slash
 * @throws WrongWords
 */
export function readBaseUrl(word = ''): string {
  const url = URL.canParse(word) ? new URL(word) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongWords(
      `base url: must be the URL of a service, for example https://registry.example, not '${word}'`,
    )
  if (url.href === `${url.origin}/`) return url.origin
  throw new WrongWords(`base url: must be only the URL of the service, ${url.origin}, not ${word}`)
}

/**
 * Reads an agent number, in upper or lower case.
 *
 * @throws WrongWords
 */
export function readReg(word = ''): string {
  const reg = word.toUpperCase()
  if (!REG_PATTERN.test(reg))
    throw new WrongWords(`agent number: must look like REG-2026-0001-0042-U, not '${word}'`)
  if (checkMatches(reg)) return reg
  throw new WrongWords(
    `agent number: ${reg} is not valid: its last character, the check character, does not match`,
  )
}

/**
 * Rejects empty options, which result from unset shell variables.
 *
 * @throws WrongWords
 */
export function requireValues(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values))
    if (value === '') throw new WrongWords(`--${name}: is empty`)
}

/** Converts an error of `parseArgs`, keeping its first sentence. */
export function asWrongWords(error: unknown): WrongWords {
  if (error instanceof WrongWords) return error
  return new WrongWords((error instanceof Error ? error.message : String(error)).split('. ')[0])
}

/** Whether the arguments request the help text. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** Sets the exit status of a command; 2 if its output is no longer read, as with `| head`. */
export async function runMain(main: (args: string[]) => Promise<0 | 1 | 2>): Promise<void> {
  process.stdout.on('error', () => process.exit(2))
  process.exitCode = await main(process.argv.slice(2))
}
