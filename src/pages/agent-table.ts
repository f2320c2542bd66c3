import type { AgentCard } from '../agents/search-store.ts'
import { count, type Html, html, quoted, verified } from './html.ts'
import { sparkline } from './sparkline.ts'
import { shownOf, standingTag } from './standing.ts'
import { table } from './table.ts'

const SAID_MAX = 140 // two lines
const COLUMNS = 'Agent | Standing | #Score | Tasks, 30 days | Checked'

/** Options of the agents of a page. */
interface Shown {
  now: Date
  /** Whether to show the operator; false on an operator's own page. */
  operator?: boolean
  /** Whether to show if the platform has confirmed the agent; true on a platform's page. */
  membership?: boolean
}

/** Agents as a table, in the given order, each with an `h3`; on a narrow screen, each row is a block. */
export function agentTable(agents: readonly AgentCard[], shown: Shown): Html {
  const rows = agents.map((agent) => row(agent, shown))
  return table('Agents', COLUMNS, rows, 'agents')
}

function row(agent: AgentCard, { now, operator = true, membership = false }: Shown): Html {
  const { reg, name, description, domain, ownership_verified_at, tasks_completed, days } = agent
  const { standing, score } = shownOf(agent)
  const isPast = standing === 'suspended' || standing === 'deactivated'
  return html`<tr${isPast && html` class="past"`}><th scope="row"><h3><a href="/agents/${reg}"><bdi>${name}</bdi></a></h3>${name !== reg && html`<span class="number quiet">${reg}</span><br>`}${operator && html`by ${operatorOf(agent)}`}${description !== '' && html`<p class="hint said">${quoted(shortened(description))}</p>`}</th>
<td>${standingTag(standing)}</td><td class="n">${score !== null && html`<span class="score">${score}<small> / 100</small></span>`}</td>
<td>${sparkline(days)}<small class="quiet one">${count(tasks_completed)} completed in all</small></td>
<td>${domain === null ? html`<span class="quiet">no verified domain</span>` : verified(domain, ownership_verified_at, now)}${membership && html`<br>${membershipOf(agent)}`}</td></tr>`
}

function operatorOf(agent: AgentCard): Html {
  const { operator_id, operator_name, operator_name_verified, operator_status } = agent
  if (operator_status === 'suspended') return html`<a href="/operators/${operator_id}">${operator_name}</a>`
  return operatorLink(operator_id, operator_name, operator_name_verified)
}

function shortened(text: string): string {
  return text.length > SAID_MAX ? `${text.slice(0, SAID_MAX).toWellFormed()}…` : text
}

/** The name of an operator, as a claim unless it was checked, with a link to its page. */
export function operatorLink(id: string, name: string, isVerified: boolean): Html {
  const quote = isVerified ? ['', ''] : ['“', '”']
  return html`<a href="/operators/${id}">${quote[0]}<bdi>${name}</bdi>${quote[1]}</a> ${
    isVerified
      ? html`<small class="good">✓ name checked</small>`
      : html`<small class="quiet">not checked</small>`
  }`
}

function membershipOf({ platform_state }: AgentCard): Html {
  return platform_state === 'confirmed'
    ? html`<span class="good">✓ confirmed by the platform</span>`
    : html`<span class="quiet">not confirmed by the platform</span>`
}
