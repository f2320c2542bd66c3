import { requireCaller } from '../../credentials/authorize.ts'
import { ApiError } from '../../errors.ts'
import type { Ctx } from '../../http/context.ts'
import { utcDay } from '../../lib/time.ts'
import { type Html, html, navigation } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { agentNotFound, requireValidNumber } from '../../wire/agent-number.ts'
import { regParam } from '../../wire/fields.ts'
import { crumbs, stateTag, withheldNote } from '../frame.ts'
import { type ConsolePage, show, showWithTrail } from '../shell.ts'
import { type AgentRow, findOwn } from './store.ts'

const AGENTS = '/console/agents'

/** The path of an agent, as a route pattern. */
export const AGENT = `${AGENTS}/:reg`

const TABS = [
  ['', 'Overview'],
  ['/activity', 'Activity'],
  ['/incidents', 'Incidents'],
  ['/domain', 'Domain'],
  ['/keys', 'Keys'],
  ['/settings', 'Settings'],
] as const

type Tab = (typeof TABS)[number][0]

export const agentPath = (reg: string, below = '') => `${AGENTS}/${reg}${below}`

export function regOf(c: Ctx): string {
  return requireValidNumber(parse(regParam, c.req.param()).reg)
}

/**
 * The operator's agent that the path names.
 *
 * @throws ApiError NOT_FOUND if there is no such agent, or it belongs to another operator
 */
export async function requireOwn(c: Ctx): Promise<AgentRow> {
  const reg = regOf(c)
  const found = await findOwn(c.get('db'), requireCaller(c).operator_id, reg, utcDay(c.get('now')()))
  if (!found) throw agentNotFound(reg)
  return found
}

/** Reads the agent in the path in parallel with `read`; if both fail, throws the error about the agent. */
export async function requireOwnAnd<T>(c: Ctx, read: Promise<T>): Promise<[AgentRow, T]> {
  read.catch(() => undefined)
  const own = await requireOwn(c)
  return [own, await read]
}

export function showTab(
  c: Ctx,
  { agent, stats }: AgentRow,
  tab: Tab,
  main: Html,
  status = 200,
): Promise<Response> {
  const label = TABS.find(([below]) => below === tab)?.[1]
  const open = stats.open_incident_count
  const shown = TABS.map(
    ([below, text]) =>
      [agentPath(agent.reg, below), below === '/incidents' && open > 0 ? `${text} (${open})` : text] as const,
  )
  return show(c, {
    title: tab === '' ? `${agent.name} · ${agent.reg}` : `${label} · ${agent.name}`,
    status,
    main: html`${crumbs([AGENTS, 'Agents'])}
<div class="split"><h1><bdi>${agent.name}</bdi></h1><a class="button" href="/agents/${agent.reg}">Public page</a></div>
<p><span class="number">${agent.reg}</span> <button type="button" class="light small" data-copy="${agent.reg}" hidden aria-label="Copy the number">Copy</button> ${stateTag(agent.status)}</p>
${navigation('Agent', shown, agentPath(agent.reg, tab), 'tabs')}
${withheldNote(agent.texts_withheld_at, 'the texts of this agent')}
${main}`,
  })
}

/** A page of an agent that has no tab: with breadcrumbs instead. */
export function showBelow(c: Ctx, { agent }: AgentRow, tab: Tab, page: ConsolePage): Promise<Response> {
  const label = TABS.find(([below]) => below === tab)?.[1] ?? ''
  const trail = [
    [AGENTS, 'Agents'],
    [agentPath(agent.reg), agent.name],
    [agentPath(agent.reg, tab), label],
  ] as const
  return showWithTrail(c, trail, page)
}

/**
 * Replaces FORBIDDEN with NOT_FOUND: the console does not reveal that an agent belongs to another operator.
 *
 * @param missing the error to throw instead
 */
export function hideForeign<T>(
  reg: string,
  work: () => Promise<T>,
  missing = agentNotFound(reg),
): () => Promise<T> {
  return () =>
    work().catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'FORBIDDEN' ? missing : error
    })
}
