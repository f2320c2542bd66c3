import { type Command, InvalidArgumentError } from 'commander'
import {
  type AgentVerdict,
  attestationsCheck,
  type Check,
  eventsCheck,
  headsCheck,
  historyCheck,
  logMemory,
  parseLogState,
  type Verdict,
  type VerifyAgentOptions,
  verifyAgent,
  verifyLog,
  verifyScore,
  wholeLogCheck,
} from '../../../verify/index.ts'
import { type Context, contextOf, outputOf, readBaseUrl } from '../context.ts'
import { EXIT, Failure } from '../failure.ts'
import { readHeads } from '../verify/heads.ts'
import { nodeSha256, saveProofs, verifyOffline } from '../verify/proofs.ts'
import { verifyReceipts } from '../verify/receipts.ts'
import { STATUS, showVerdict } from '../verify/show.ts'
import { readState, writeState } from '../verify/state.ts'
import { readTrust, type TrustWords } from '../verify/trust.ts'
import { readReg } from '../words.ts'

const MINUTE_SECONDS = 60
const WAIT_SECONDS = 15 * MINUTE_SECONDS
const LONG_WAIT_SECONDS = 180 * MINUTE_SECONDS // a million leaves take seven minutes at the limit of requests
const DAY = /^\d{4}-\d{2}-\d{2}$/

interface Options extends TrustWords {
  issuer?: string
  state?: string
  key?: string
  all?: boolean
  save?: string
  heads?: string[]
  offline?: string
  receipt?: string
  keys?: string
  score?: boolean
  date?: string
  requireActive?: boolean
}

/** Options that exclude others. */
const ALONE: [name: keyof Options, allowed: (keyof Options)[]][] = [
  ['offline', ['vkey', 'witness']],
  ['score', ['date']],
  ['receipt', ['keys', 'key', 'issuer', 'state', 'acceptRestore', 'vkey', 'witness']],
]

/** Adds the command that verifies an agent. */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .argument(
      '[reg]',
      'the number of the agent; not required with --all, --heads, --offline, or --receipt',
      readReg,
    )
    .summary('verify what a registry states about an agent')
    .description(
      'Verifies what a registry states about an agent, without trusting the registry: recomputes the score from the published rows, verifies the signed token, and checks whether the events, the profile, the incidents, and the days of the agent are in the transparency log as they are shown. Requires no login. The verdict does not state that the agent is good.',
    )
    .option('--state <file>', 'store the signed heads, and check the log against those of earlier runs')
    .option('--accept-restore <range>', 'with --state: accept a restore that the state does not know')
    .option('--issuer <url>', 'the issuer that tokens must have, if it differs from --base-url')
    .option('--vkey <key>', 'the key of the log, from a source that you trust')
    .option('--witness <file>', 'a trust policy (C2SP tlog-policy): which witnesses must have signed the log')
    .option('--key <key>', 'a key with `read` of the operator or platform of the agent: opens hidden content')
    .option('--all', 'read the whole log, and find entries that the list of an agent omits')
    .option('--heads <files...>', 'tokens, proofs, or checkpoints from elsewhere: the log must contain them')
    .option('--save <folder>', 'write a proof of each leaf of the agent, with its opening')
    .option('--offline <file>', 'verify such a proof without the registry; requires --vkey')
    .option(
      '--receipt <file>',
      'verify that the events of the receipts in a file, one per line, are in the log',
    )
    .option('--keys <file>', 'with --receipt: a stored /.well-known/jwks.json')
    .option('--score', 'verify only the score')
    .option('--date <day>', 'with --score: the score at the end of this UTC day', readDay)
    .option('--require-active', 'also fail if the agent is deactivated or its operator is suspended')
    .addHelpText(
      'after',
      '\nStatus:\n  0  verified: everything holds\n' +
        '  1  failed: something does not hold; or unknown_agent: the registry has no such agent\n' +
        '  2  incomplete: it could not be found out, and nothing is said of the agent\n\n' +
        'Example:\n  agentreg verify REG-2026-0001-0042-U --base-url https://registry.example',
    )
    .action(async (reg: string | undefined, options: Options, command: Command) => {
      requireFitting(reg, options)
      const { offline } = options
      if (offline === undefined) process.exitCode = await verify(contextOf(command), reg, options)
      else {
        const found = await verifyOffline(offline, await readTrust(options))
        outputOf(command).data(found, (out) => showVerdict(out, offline, found))
        process.exitCode = STATUS[found.verdict]
      }
    })
}

/** @throws Failure for options that cannot be combined, or are empty because a shell variable is unset */
function requireFitting(reg: string | undefined, options: Options): void {
  const given = Object.entries(options).map(([name, value]) => {
    if (value === '') throw new Failure(`${flagOf(name)}: is empty`)
    return name as keyof Options
  })
  for (const [name, allowed] of ALONE) {
    if (options[name] && given.some((one) => one !== name && !allowed.includes(one)))
      throw new Failure(`--${name}: can only be used with ${allowed.map(flagOf).join(' and ')}`)
  }
  if (options.acceptRestore && !options.state) throw new Failure('--accept-restore: requires --state')
  if (options.date && !options.score) throw new Failure('--date: requires --score')
  if (options.keys && !options.receipt) throw new Failure('--keys: requires --receipt')
  if (reg !== undefined && options.receipt) throw new Failure('--receipt: names its agents itself')
  if (options.receipt) return
  if (reg === undefined && !options.all && !options.heads && !options.offline)
    throw new Failure('the agent number is required without --all, --heads, --offline, or --receipt')
  if (reg === undefined && (options.key ?? options.save ?? options.requireActive) !== undefined)
    throw new Failure('--key, --save, --require-active: require an agent number')
}

/** An option as it is typed: `--accept-restore` for `acceptRestore`. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

async function verify(context: Context, reg: string | undefined, options: Options): Promise<number> {
  const { state, key, all, save, score, issuer, heads } = options
  const memory = logMemory(readState(state, parseLogState), await readTrust(options))
  const also: Check[] = [
    ...(reg ? [eventsCheck, attestationsCheck, historyCheck] : []),
    ...(heads ? [headsCheck(readHeads(heads))] : []),
    ...(all ? [wholeLogCheck({ sha256: nodeSha256 })] : []),
    ...(save === undefined ? [] : [saveProofs(save)]),
  ]
  const settings: VerifyAgentOptions = {
    ...(issuer && { issuer: readBaseUrl(issuer) }),
    openCheckpoint: memory.openCheckpoint,
    ...(state !== undefined && { memory }),
    key,
    also,
    maxWaitSeconds: all || key ? LONG_WAIT_SECONDS : WAIT_SECONDS,
    onWait: (seconds) => context.err.line(`The registry is busy; continuing in ${Math.ceil(seconds)} s …`),
  }
  const found: Verdict & Partial<AgentVerdict> = await (options.receipt !== undefined
    ? verifyReceipts(context.baseUrl, options.receipt, options.keys, settings)
    : reg === undefined
      ? verifyLog(context.baseUrl, settings)
      : score
        ? verifyScore(context.baseUrl, reg, { date: options.date })
        : verifyAgent(context.baseUrl, reg, settings))
  const seen = memory.state()
  if (state !== undefined && seen) writeState(state, seen)
  context.data(found, (out) => showVerdict(out, reg ?? options.receipt ?? context.baseUrl, found))
  const isActive = found.agent?.active === true && found.agent.operator_status === 'active'
  if (found.verdict === 'verified' && options.requireActive && !isActive) {
    context.err.line('The agent is verified, but not active (--require-active)')
    return EXIT.no
  }
  return STATUS[found.verdict]
}

function readDay(word: string): string {
  if (DAY.test(word) && new Date(word).toJSON()?.startsWith(word)) return word
  throw new InvalidArgumentError('must be a day, such as 2026-11-20')
}
