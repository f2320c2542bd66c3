import { parseArgs } from 'node:util'

/**
 * Reads whether a command shall only look: `--check`, its one flag.
 *
 * @throws Error with the usage for any other word
 */
export function readCheckFlag(usage: string): boolean {
  try {
    return parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check
  } catch {
    throw new Error(usage)
  }
}
