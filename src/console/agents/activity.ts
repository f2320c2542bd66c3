import { listActivity } from '../../activity/list-store.ts'
import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { eventList } from '../../pages/agent-events.ts'
import { copyable, type Html, html, section, unbroken } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parseQuery } from '../../pages/respond.ts'
import { pagesOnly } from '../../wire/page.ts'
import { empty } from '../frame.ts'
import { consolePages } from '../router.ts'
import { AGENT, regOf, requireOwnAnd, showTab } from './frame.ts'
import { listReportingKeys } from './store.ts'

const TAB = '/activity'

/** The whole log of an agent, and how to report to it. */
export const agentActivityPages = consolePages().page(`${AGENT}${TAB}`, async (c) => {
  const [db, caller, page] = [c.get('db'), requireCaller(c), parseQuery(c, pagesOnly)]
  const [own, [events, keys]] = await requireOwnAnd(
    c,
    Promise.all([
      listActivity(db, regOf(c), caller, page),
      listReportingKeys(db, caller.operator_id, c.get('now')()),
    ]),
  )
  const { data, total } = events ?? { data: [], total: 0 }
  const { reg, status } = own.agent
  return showTab(
    c,
    own,
    TAB,
    html`${total === 0 ? empty('No events yet', html`${EVENTS_ARE_PUBLIC}`) : html`${eventList(data)}${pager(c, page, total)}`}
${status === 'active' && reporting(c, reg, keys)}`,
  )
})

function reporting(c: Ctx, reg: string, keys: Awaited<ReturnType<typeof listReportingKeys>>): Html {
  const which =
    keys.length === 0
      ? html`<p>None of your API keys has the permission to report yet.</p><p><a class="button first" href="/console/keys/new?reg=${reg}">Create a key</a></p>`
      : html`<p>These keys can report on it: ${keys.map((key, n) => html`${n > 0 && ', '}<a href="/console/keys/${key.id}"><bdi>${key.name}</bdi></a> <span class="number quiet">${key.key_prefix}…</span>`)}.</p>`
  const command = copyable(
    'curl',
    'Reports a completed task',
    unbroken(reportCommand(c.get('env').BASE_URL, reg)),
  )
  return section('report', 'Report events', html`${which}<p>${EVENTS_ARE_PUBLIC}</p>${command}`)
}

/** What operators should know before they report. */
export const EVENTS_ARE_PUBLIC =
  'The newest 50 events of an agent are public, with their metadata: report nothing that is confidential.'

/** A `curl` command that reports a completed task of an agent. */
export function reportCommand(baseUrl: string, reg: string, key = '$REG_KEY'): string {
  return `curl ${baseUrl}/api/v1/activity/report \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"reg": "${reg}", "event_type": "task_completed", "metadata": {"response_ms": 420}}'`
}
