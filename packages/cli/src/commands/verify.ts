import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { action, type Context, readBaseUrl } from '../context.ts'
import { EXIT, Failure, messageOf } from '../failure.ts'
import { type Output, plain, printTable } from '../output.ts'
import { type AgentVerdict, openCheckpoint, type Policy, parsePolicy } from '../registry.ts'
import { verdictOf } from '../verdict.ts'
import { readReg } from '../words.ts'

const WORDS = {
  verified: 'everything that was checked holds',
  failed: 'something does not hold: keep this output, and ask the registry why',
  incomplete: 'nothing failed, but not everything could be checked',
} as const satisfies Record<AgentVerdict['verdict'], string>

const STATUS = { verified: EXIT.ok, failed: EXIT.no, incomplete: EXIT.stopped } as const

interface Options {
  issuer?: string
  vkey?: string
  witness?: string
  requireActive?: boolean
}

/** Adds the command that verifies an agent. */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .argument('<reg>', 'the number of the agent', readReg)
    .summary('verify what a registry states about an agent')
    .description(
      'Verifies what a registry states about an agent, without trusting the registry: recomputes the score from the published rows, verifies the signed token, and checks whether the profile and the days of the agent are in the transparency log as they are shown. Requires no login. The verdict does not state that the agent is good.',
    )
    .option('--issuer <url>', 'the issuer that tokens must have, if it differs from --base-url')
    .option('--vkey <key>', 'the key of the log, from a source that you trust')
    .option('--witness <file>', 'a trust policy (C2SP tlog-policy): which witnesses must have signed the log')
    .option('--require-active', 'also fail if the agent is deactivated or its operator is suspended')
    .addHelpText(
      'after',
      '\nStatus:\n  0  verified: everything holds\n  1  failed: something does not hold\n' +
        '  2  incomplete: it could not be found out, and nothing is said of the agent\n\n' +
        'Example:\n  agentreg verify REG-2026-0001-0042-U --base-url https://registry.example',
    )
    .action(action(verify))
}

async function verify(context: Context, reg: string, options: Options): Promise<number> {
  const { issuer, requireActive } = options
  const policy = await readPolicy(options)
  const found = await verdictOf(context.baseUrl, reg, {
    ...(issuer && { issuer: readBaseUrl(issuer) }),
    ...(policy && { openCheckpoint: (note) => openCheckpoint(note, policy) }),
  })
  const { agent, verdict } = found
  const isActive = agent?.active === true && agent.operator_status === 'active'
  context.data(found, (out) => show(out, found))
  if (verdict === 'verified' && requireActive && !isActive) {
    context.err.line('The agent is verified, but not active (--require-active)')
    return EXIT.no
  }
  return STATUS[verdict]
}

/** The trust policy for the log; null without either option, so that the keys of the registry are used. */
async function readPolicy({ vkey, witness }: Options): Promise<Policy | null> {
  if (witness === undefined && vkey === undefined) return null
  try {
    const text = witness === undefined ? `log ${vkey}\nquorum none` : await readFile(witness, 'utf8')
    return await parsePolicy(text)
  } catch (error) {
    throw new Failure(`${witness ?? '--vkey'}: ${messageOf(error)}`, { cause: error })
  }
}

function show(out: Output['out'], { verdict, reg, checks, agent, score }: AgentVerdict): void {
  const color = verdict === 'verified' ? 'green' : verdict === 'failed' ? 'red' : 'yellow'
  out.line(`${out.style('bold', reg)}  ${out.style(color, verdict)}: ${WORDS[verdict]}`)
  if (agent) {
    const status = agent.active ? 'active' : 'deactivated'
    const suspended = agent.operator_status === 'suspended' ? ', its operator is suspended' : ''
    out.line(`${plain(String(agent.name))}, ${status}${suspended}`)
  }
  if (score) out.line(`Score ${score.overall.toFixed(1)}${score.provisional ? ', provisional' : ''}`)
  out.line()
  printTable(
    out,
    ['CHECK', '', 'DETAIL'],
    checks.map(({ name, ok, detail }) => [name, ok === null ? 'unknown' : ok ? 'ok' : 'FAILED', detail]),
    'Nothing was checked.',
  )
}
