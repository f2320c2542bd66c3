import { parseArgs } from 'node:util'
import { REG_PATTERN } from '../src/lib/agent-number.ts'
import { DoesNotHold, printedFindings } from './log-verify/findings.ts'
import { type Asked, verifyLog } from './log-verify/log.ts'
import { verifyOffline } from './log-verify/proofs.ts'
import { messageOf } from './support/message.ts'
import { say } from './support/print.ts'

const USAGE = `usage: npm run -s log:verify -- <base url> <agent number> [--vkey key] [--witness policy-file]
         [--key reg_live_…] [--state file] [--save folder] [--all]
       npm run -s log:verify -- <base url> --all [--vkey key] [--witness policy-file] [--state file]
       npm run -s log:verify -- --offline file.tlog-proof --vkey key [--witness policy-file]`

type Words = Asked | { offline: string; vkey?: string | undefined; witness?: string | undefined }

/** The words of the command line; null when they are not what the usage says. */
function parse(args: string[]): Words | null {
  try {
    const text = { type: 'string' } as const
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        vkey: text,
        witness: text,
        key: text,
        state: text,
        save: text,
        offline: text,
        all: { type: 'boolean', default: false },
      },
    })
    const { offline, vkey, witness, key, state, save, all } = values
    if (offline !== undefined) {
      const isAlone = positionals.length === 0 && !all && (key ?? state ?? save) === undefined
      return isAlone && (vkey ?? witness) !== undefined ? { offline, vkey, witness } : null
    }
    const [baseUrl = '', reg, ...rest] = positionals
    const isUrl = URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)
    if (
      !isUrl ||
      rest.length > 0 ||
      (reg === undefined ? !all || save !== undefined : !REG_PATTERN.test(reg))
    )
      return null
    return { baseUrl, reg, vkey, witness, key, state, save, all }
  } catch {
    return null
  }
}

/**
 * The command.
 *
 * @returns the status with which it ends: 0 all holds, 1 something does not, 2 could not find out
 */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  const asked = parse(args)
  const findings = printedFindings()
  try {
    if (!asked) throw new Error(USAGE)
    await ('offline' in asked
      ? verifyOffline({ file: asked.offline, vkey: asked.vkey, witness: asked.witness }, findings)
      : verifyLog(asked, findings))
  } catch (error) {
    if (error instanceof DoesNotHold) findings.check('log', '', [error.message])
    else {
      console.error(messageOf(error))
      if (findings.problems() === 0) return 2
    }
  }
  const problems = findings.problems()
  say(
    '',
    problems === 0
      ? 'OK: all of it holds'
      : `does not hold: ${problems === 1 ? 'one thing' : `${problems} things`}`,
  )
  return problems === 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
