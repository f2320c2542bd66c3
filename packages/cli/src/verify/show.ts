import type { AgentVerdict, Verdict } from '../../../verify/index.ts'
import { EXIT } from '../failure.ts'
import { type Output, plain, printTable } from '../output.ts'

type Name = Verdict['verdict']

const WORDS = {
  verified: 'everything that was checked holds',
  failed: 'something does not hold: keep this output, and ask the registry why',
  incomplete: 'nothing failed, but not everything could be checked',
  unknown_agent: 'the registry has no agent with this number',
} as const satisfies Record<Name, string>

const COLORS = { verified: 'green', failed: 'red', incomplete: 'yellow', unknown_agent: 'red' } as const

export const STATUS = {
  verified: EXIT.ok,
  failed: EXIT.no,
  incomplete: EXIT.stopped,
  unknown_agent: EXIT.no,
} as const satisfies Record<Name, number>

/** Prints a verdict, its checks, and its notes. */
export function showVerdict(
  out: Output['out'],
  subject: string,
  { verdict, checks, notes, agent, score, standing }: Verdict & Partial<AgentVerdict>,
): void {
  out.line(`${out.style('bold', subject)}  ${out.style(COLORS[verdict], verdict)}: ${WORDS[verdict]}`)
  if (verdict === 'unknown_agent') return
  if (agent) {
    const status = agent.active ? 'active' : 'deactivated'
    const suspended = agent.operator_status === 'suspended' ? ', its operator is suspended' : ''
    out.line(`${plain(String(agent.name))}, ${status}${suspended}`)
  }
  if (standing) out.line(`Standing: ${standing}`)
  if (score) out.line(`Score ${score.overall.toFixed(1)}${score.provisional ? ', provisional' : ''}`)
  out.line()
  const rows = checks.flatMap(({ name, ok, detail }) =>
    detail
      .split('\n')
      .map((line, at) =>
        at === 0 ? [name, ok === null ? 'unknown' : ok ? 'ok' : 'FAILED', line] : [' ', ' ', line],
      ),
  )
  printTable(out, ['CHECK', '', 'DETAIL'], rows, 'Nothing was checked.')
  if (notes.length > 0) out.line()
  for (const note of notes) out.line(plain(`note: ${note}`))
}
