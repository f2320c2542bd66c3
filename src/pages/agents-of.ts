import type { searchCards } from '../agents/search-store.ts'
import { agentTable } from './agent-table.ts'
import { type Html, html } from './html.ts'
import { addressOf, foundCount } from './search-query.ts'

/** The first page of the agents of an operator or platform, best first, with a link to all of them. */
export function agentsOf(
  filter: Readonly<Record<string, string>>,
  { total, data }: Awaited<ReturnType<typeof searchCards>>,
  shown: Parameters<typeof agentTable>[1],
): Html {
  if (total === 0) return html`<h2>Agents</h2><p class="quiet">No agents.</p>`
  return html`<h2>${foundCount(total)}, best first</h2>
${agentTable(data, shown)}
${total > data.length && html`<p><a href="${addressOf('/agents', { ...filter, status: 'all' })}">All ${foundCount(total)}</a></p>`}`
}
