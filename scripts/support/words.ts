import { checkMatches, REG_PATTERN } from '../../src/lib/agent-number.ts'

/** That the words of a command are off: its message says which, and what they must be. */
export class WrongWords extends Error {}

/**
 * Reads the address of a service.
 *
 * @returns its origin, without a slash at its end
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
 * Reads an agent number, in whatever case.
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
 * Rejects options that are empty, as a variable that is not set makes them.
 *
 * @throws WrongWords
 */
export function requireValues(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values))
    if (value === '') throw new WrongWords(`--${name}: is empty`)
}

/** The first sentence of what `parseArgs` says. */
export function asWrongWords(error: unknown): WrongWords {
  if (error instanceof WrongWords) return error
  return new WrongWords((error instanceof Error ? error.message : String(error)).split('. ')[0])
}

/** Whether the caller asks how the command is used. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** Ends the process with the status of a command; with 2 when nobody reads its output any more, as behind `| head`. */
export async function runMain(main: (args: string[]) => Promise<0 | 1 | 2>): Promise<void> {
  process.stdout.on('error', () => process.exit(2))
  process.exitCode = await main(process.argv.slice(2))
}
