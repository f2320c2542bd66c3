import { parseArgs } from 'node:util'
import { CheckFailed, pluralize } from '../packages/verify/problems.ts'
import { PartFailed, printedFindings } from './log-verify/findings.ts'
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

  <base url>         the URL of the service: https://registry.example
  --state file       stores the signed heads and the key, and checks the log against those of earlier runs
  --vkey key         the key of the log, from a source that you trust; without it and a state file, that of the service
  --witness file     a trust policy (C2SP tlog-policy): which witnesses must have cosigned the head
  --key reg_live_…   a key with \`read\` of the agent's operator or platform: opens hidden content
  --all              reads the whole log, and finds entries that the list of an agent omits
  --save folder      writes a proof of each leaf of the agent, with its opening
  --offline file     verifies such a proof without the service

exit status 0: everything is correct
            1: something is wrong; keep the output and the state file, and run the command again with --save
            2: the checks could not be completed, for the reason in the message; the log may be correct
For details, see docs/transparency.md`

type Words = Requested | { offline: string; vkey?: string | undefined; witness?: string | undefined }

/**
 * Parses the arguments of the command line.
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
      throw new WrongWords('--offline: can only be used with --vkey and --witness')
    if ((vkey ?? witness) === undefined)
      throw new WrongWords('--offline: requires --vkey, the key of the log')
    return { offline, vkey, witness }
  }
  const [address, number, ...rest] = positionals
  const baseUrl = readBaseUrl(address)
  if (rest.length > 0) throw new WrongWords(`'${rest[0]}': unexpected argument`)
  if (number === undefined && !all) throw new WrongWords('agent number: is required without --all')
  if (number === undefined && (key ?? save) !== undefined)
    throw new WrongWords('--key, --save: require an agent number')
  const reg = number === undefined ? undefined : readReg(number)
  return { baseUrl, reg, vkey, witness, key, state, save, all }
}

function parsed(args: string[]): Words {
  try {
    return parse(args)
  } catch (error) {
    throw new Error(`${asWrongWords(error).message}\n${USAGE}\nFor help: --help`)
  }
}

/** @returns the exit status: 0 if all checks hold, 1 if one does not, 2 if the check could not be completed */
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
    if (error instanceof CheckFailed)
      findings.check(error instanceof PartFailed ? error.part : 'log', '', [error.message])
    else {
      console.error(messageOf(error))
      if (findings.problems() === 0) return 2
    }
  }
  const problems = findings.problems()
  say('', problems === 0 ? 'OK: everything is correct' : `FAILED: ${pluralize(problems, 'problem')}`)
  return problems === 0 ? 0 : 1
}

if (import.meta.main) await runMain(main)
