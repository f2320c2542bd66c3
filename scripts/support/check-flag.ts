import { parseArgs } from 'node:util'

/**
 * Reads `--check`, the only flag of a command: whether to change nothing.
 *
 * @throws Error with the usage for any other argument
 */
export function readCheckFlag(usage: string): boolean {
  try {
    return parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check
  } catch {
    throw new Error(usage)
  }
}
