import * as z from 'zod'
import { requireCaller } from '../../credentials/authorize.ts'
import { utcDay } from '../../lib/time.ts'
import { count, counted, type Html, html, navigation, when } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parseQuery } from '../../pages/respond.ts'
import { sparkline } from '../../pages/sparkline.ts'
import { shownOf, standingTag } from '../../pages/standing.ts'
import { table } from '../../pages/table.ts'
import { pageQuery } from '../../wire/page.ts'
import { empty } from '../frame.ts'
import { consolePages } from '../router.ts'
import { show } from '../shell.ts'
import { type AgentRow, listOwn, type StatusFilter } from './store.ts'

const FILTERS = [
  ['all', 'All'],
  ['active', 'Active'],
  ['deactivated', 'Deactivated'],
] as const satisfies readonly (readonly [StatusFilter, string])[]

const query = z.object({
  ...pageQuery,
  status: z
    .enum(['all', 'active', 'deactivated'], { error: 'must be all, active, or deactivated' })
    .default('all'),
})

export const agentListPages = consolePages().page('/console/agents', async (c) => {
  const given = parseQuery(c, query)
  const now = c.get('now')()
  const { operator_id } = requireCaller(c)
  const { rows, total, all, room } = await listOwn(c.get('db'), operator_id, given, utcDay(now))
  const add = html`<a class="button first" href="/console/agents/new">Register an agent</a>`
  const head = html`<div class="split"><h1>Agents</h1>${all > 0 && add}</div>`
  if (all === 0) {
    const main = html`${head}${empty(
      'No agents yet',
      html`Register an agent to get its permanent number.`,
      add,
    )}`
    return show(c, { title: 'Agents', main })
  }
  const addressOf = (status: string) => `/console/agents?status=${status}`
  const filters = FILTERS.map(([status, label]) => [addressOf(status), label] as const)
  return show(c, {
    title: 'Agents',
    main: html`${head}
<div class="split">${navigation('Filter', filters, addressOf(given.status))}
${room && html`<p class="hint">${count(room.active_agents)} of ${count(room.agent_limit)} active agents</p>`}</div>
${total === 0 ? html`<p class="quiet">No agents here.</p>` : agentTable(rows, now)}${pager(c, given, total)}`,
  })
})

const COLUMNS = 'Agent | Standing | #Score | Tasks, 30 days | Domain | Incidents | Last event'

export function agentTable(rows: readonly AgentRow[], now: Date): Html {
  const agents = rows.map((row) => agentRow(row, now))
  return table('Agents', COLUMNS, agents, 'agents')
}

function agentRow({ agent, stats, basis, days }: AgentRow, now: Date): Html {
  const { open_incident_count: open, last_active_at } = stats
  const { standing, score } = shownOf({ operator_status: 'active', status: agent.status, basis })
  return html`<tr${standing === 'deactivated' && html` class="past"`}><th scope="row"><a href="/console/agents/${agent.reg}"><bdi>${agent.name}</bdi></a><div class="number quiet">${agent.reg}</div></th>
<td>${standingTag(standing)}</td><td class="n">${score !== null && html`<span class="score">${score}<small> / 100</small></span>`}</td><td>${sparkline(days)}</td>
<td class="one">${agent.domain ?? html`<span class="quiet">no verified domain</span>`}</td>
<td class="one">${open > 0 && html`<strong class="bad">${counted(open, 'open incident')}</strong>`}</td>
<td class="one">${last_active_at ? when(last_active_at, now) : html`<span class="quiet">no events</span>`}</td></tr>`
}
