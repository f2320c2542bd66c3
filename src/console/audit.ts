import { AUDIT_ACTIONS } from '../audit/actions.ts'
import { auditQuery } from '../audit/schema.ts'
import { listAudit } from '../audit/store.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { isAgentNumber } from '../lib/agent-number.ts'
import { filtersOf } from '../pages/field.ts'
import { capitalized, type Html, html, minute } from '../pages/html.ts'
import { pager } from '../pages/pager.ts'
import { parseQuery } from '../pages/respond.ts'
import { table } from '../pages/table.ts'
import { empty } from './frame.ts'
import { consolePages } from './router.ts'
import { show } from './shell.ts'

const PATH = '/console/audit'

const OBJECTS: Record<string, string> = { agent_key: 'Agent key', api_key: 'API key', kyc: 'Identity check' }

const ACTIONS = AUDIT_ACTIONS.map((action) => [action, labelOf(action)] as const)

export const auditPages = consolePages().page(PATH, async (c) => {
  const query = parseQuery(c, auditQuery)
  const { data, total } = await listAudit(c.get('db'), requireCaller(c).operator_id, query)
  const rows = data.map(
    ({ action, target, created_at }) =>
      html`<tr><td class="one">${minute(created_at)}</td><th scope="row">${labelOf(action)}<br><code class="hint">${action}</code></th><td>${linked(action, target)}</td></tr>`,
  )
  return show(c, {
    title: 'Audit log',
    main: html`<h1>Audit log</h1><p>Security-relevant actions on your account, newest first.</p>
<form method="get" action="${PATH}"><div class="row">${filtersOf({ action: query.action }).choice('action', 'Action', 'Any action', ACTIONS)}<button class="light">Filter</button>${query.action && html`<a href="${PATH}">Clear filter</a>`}</div></form>
${
  total === 0
    ? empty('No entries', html`There are no such actions on your account.`)
    : html`${table('Audit log', 'Time | Action | Object', rows)}${pager(c, query, total)}`
}`,
  })
})

/** The label of an action: "API key revoked" for `api_key.revoked`. */
function labelOf(action: string): string {
  const [object = '', verb = ''] = action.split('.')
  const label = OBJECTS[object] ?? capitalized(object)
  return `${label} ${verb.replaceAll('_', ' ')}`
}

/** The target of an action; agents and platforms as links. */
function linked(action: string, target: string | null): Html | string {
  if (!target) return '–'
  const reg = target.split('/').at(-1) ?? ''
  if (isAgentNumber(reg)) {
    return html`<span class="number"><a href="/agents/${reg}">${target}</a></span>`
  }
  if (action.startsWith('platform.'))
    return html`<span class="number"><a href="/console/platforms/${target}">${target}</a></span>`
  return html`<span class="number">${target}</span>`
}
