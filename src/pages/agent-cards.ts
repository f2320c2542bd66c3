import type { AgentCard } from '../agents/search-store.ts'
import { counted, type Html, html, verified } from './html.ts'
import { shownOf, standingTag } from './standing.ts'

/** Options of the cards of a page. */
interface Shown {
  now: Date
  /** Whether to show the operator; false on an operator's own page. */
  operator?: boolean
  /** Whether to show if the platform has confirmed the agent; true on a platform's page. */
  membership?: boolean
}

/** Agents as cards, in the given order, each with an `h3`. */
export function agentCards(agents: readonly AgentCard[], shown: Shown): Html {
  return html`<ul class="cards">${agents.map((agent) => card(agent, shown))}</ul>`
}

function card(agent: AgentCard, { now, operator = true, membership = false }: Shown): Html {
  const { reg, name, domain, ownership_verified_at, tasks_completed } = agent
  const { standing, score } = shownOf(agent)
  return html`<li class="card">
<div class="split"><h3><a href="/agents/${reg}"><bdi>${name}</bdi></a></h3>${score !== null && html`<span class="score">${score}<small> / 100</small></span>`}</div>
<p>${standingTag(standing)}</p>
<p><span class="number">${reg}</span><br>
${domain === null ? html`<span class="quiet">no verified domain</span>` : verified(domain, ownership_verified_at, now)}${operator && html`<br>by ${operatorOf(agent)}`}</p>
<p>${counted(tasks_completed, 'task')} completed${membership && html`<br>${membershipOf(agent)}`}</p>
</li>`
}

function operatorOf(agent: AgentCard): Html {
  const { operator_id, operator_name, operator_name_verified, operator_status } = agent
  if (operator_status === 'suspended') return html`<a href="/operators/${operator_id}">${operator_name}</a>`
  return operatorLink(operator_id, operator_name, operator_name_verified)
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
