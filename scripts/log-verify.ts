import { parseArgs } from 'node:util'
import { DoesNotHold } from '../packages/verify/problems.ts'
import { printedFindings } from './log-verify/findings.ts'
import { type Requested, verifyLog } from './log-verify/log.ts'
import { verifyOffline } from './log-verify/proofs.ts'
import { messageOf } from './support/message.ts'
import { say } from './support/print.ts'
import {
  asksForHelp,
  asWrongWords,
  readBaseUrl,
  readReg,
  requireValues,
  runMain,
  WrongWords,
} from './support/words.ts'

const USAGE = `usage: npm run -s log:verify -- <base url> <agent number> [--vkey key] [--witness policy-file]
         [--key reg_live_…] [--state file] [--save folder] [--all]
       npm run -s log:verify -- <base url> --all [--vkey key] [--witness policy-file] [--state file]
       npm run -s log:verify -- --offline file.tlog-proof --vkey key [--witness policy-file]`

const HELP = `${USAGE}

  <base url>         the address of the service: https://registry.example
  --state file       remembers the signed heads and the key, and holds the log to them in the next run
  --vkey key         the key of the log, from a source that you trust; without it and a state file, the service's word
  --witness file     a trust policy (C2SP tlog-policy): which witnesses must have signed the head
  --key reg_live_…   a key with \`read\` of the agent's operator or platform: opens what others do not see
  --all              reads the whole log, and finds what the list of an agent hides
  --save folder      writes a proof of each leaf of the agent, and what opens it
  --offline file     verifies such a proof without the service

status 0: all holds. 1: something does not; keep the output and the state file, and run it again with --save.
2: could not find out, and the message says why; nothing is said of the log.
Each word: docs/transparency.md`

type Words = Requested | { offline: string; vkey?: string | undefined; witness?: string | undefined }

/**
 * The words of the command line.
 *
 * @throws WrongWords
 */
function parse(args: string[]): Words {
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
  requireValues(values)
  const { offline, vkey, witness, key, state, save, all } = values
  if (offline !== undefined) {
    if (positionals.length > 0 || all || (key ?? state ?? save) !== undefined)
      throw new WrongWords('--offline: goes with --vkey and --witness alone')
    if ((vkey ?? witness) === undefined) throw new WrongWords('--offline: needs --vkey, the key of the log')
    return { offline, vkey, witness }
  }
  const [address, number, ...rest] = positionals
  const baseUrl = readBaseUrl(address)
  if (rest.length > 0) throw new WrongWords(`'${rest[0]}': one word too many`)
  if (number === undefined && !all) throw new WrongWords('agent number: is missing, and so is --all')
  if (number === undefined && (key ?? save) !== undefined)
    throw new WrongWords('--key, --save: need an agent number')
  const reg = number === undefined ? undefined : readReg(number)
  return { baseUrl, reg, vkey, witness, key, state, save, all }
}

function parsed(args: string[]): Words {
  try {
    return parse(args)
  } catch (error) {
    throw new Error(`${asWrongWords(error).message}\n${USAGE}\nWhat each word does: --help`)
  }
}

/**
 * The command.
 *
 * @returns the status with which it ends: 0 all holds, 1 something does not, 2 could not find out
 */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  const findings = printedFindings()
  if (asksForHelp(args)) {
    console.log(HELP)
    return 0
  }
  try {
    const requested = parsed(args)
    await ('offline' in requested
      ? verifyOffline({ file: requested.offline, vkey: requested.vkey, witness: requested.witness }, findings)
      : verifyLog(requested, findings))
  } catch (error) {
    if (error instanceof DoesNotHold) findings.check(error.part, '', [error.message])
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

if (import.meta.main) await runMain(main)
