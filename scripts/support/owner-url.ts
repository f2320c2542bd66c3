import { readSync } from 'node:fs'
import { isLoopback } from '../../src/lib/host.ts'
import { readStackFile } from './stack-file.ts'

const YES = '--yes'

/**
 * The connection string of the owner: DATABASE_URL, or that of the running local stack. If the database is on another
 * machine, its host is shown first, and the user must agree.
 *
 * @param args of the command; `--yes` agrees
 * @throws Error when no stack is running, or the user does not agree
 */
export function ownerUrl(args: readonly string[]): string {
  const given = process.env.DATABASE_URL
  if (!given) return readStackFile().database_url
  if (!URL.canParse(given)) throw new Error('DATABASE_URL: must be a URL, postgresql://…')
  const { hostname, pathname } = new URL(given)
  if (isLoopback(hostname)) return given
  process.stderr.write(`database: ${hostname}${pathname}\n`)
  if (args.includes(YES)) return given
  if (!process.stdin.isTTY) throw new Error(`not confirmed: add ${YES}`)
  process.stderr.write('Continue? [y/N] ')
  const typed = Buffer.alloc(8)
  if (!/^y/i.test(typed.toString('utf8', 0, readSync(0, typed)))) throw new Error('nothing was changed')
  return given
}

/** The arguments without `--yes`. */
export function withoutYes(args: readonly string[]): string[] {
  return args.filter((arg) => arg !== YES)
}
