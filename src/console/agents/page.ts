import { CLASSES } from '../../agents/schema.ts'
import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { utcDay } from '../../lib/time.ts'
import { capitalized, copyable, count, day, type Html, html, unbroken, when } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { sparkline } from '../../pages/sparkline.ts'
import { shownOf, standingTag } from '../../pages/standing.ts'
import { shownScore } from '../../trust/shown.ts'
import { agentNotFound, requireValidNumber } from '../../wire/agent-number.ts'
import { regParam } from '../../wire/fields.ts'
import { type Problems, problemNote, textField } from '../field.ts'
import { crumbs, stateTag, withheldNote } from '../frame.ts'
import { form, show } from '../shell.ts'
import { type AgentTexts, agentFields } from './form.ts'
import { incidentSection } from './incidents.ts'
import { linkNote, type ProofForm, proofSection } from './proof.ts'
import { findOwn, type OwnAgent } from './store.ts'

/** A rejected form, shown on the page with its problems. */
export interface Rejected {
  status?: number
  texts?: { sent: AgentTexts; problems: Problems }
  platform?: { sent: string; problems: Problems }
  proof?: ProofForm
  incident?: { id: string; sent: string; problems: Problems }
}

/** The agent number in the path. */
export function regOf(c: Ctx): string {
  return requireValidNumber(parse(regParam, c.req.param(), 'address').reg)
}

/**
 * The operator's agent that the path names.
 *
 * @throws ApiError NOT_FOUND if there is no such agent, or it belongs to another operator
 */
export async function requireOwn(c: Ctx): Promise<OwnAgent> {
  const reg = regOf(c)
  const now = c.get('now')()
  const found = await findOwn(c.get('db'), requireCaller(c).operator_id, reg, utcDay(now), now)
  if (!found) throw agentNotFound(reg)
  return found
}

/** The page of one agent. */
export async function agentPage(c: Ctx, { status = 200, ...rejected }: Rejected = {}): Promise<Response> {
  const own = await requireOwn(c)
  const { agent } = own
  const isActive = agent.status === 'active'
  return show(c, {
    title: `${agent.name} · ${agent.reg}`,
    status,
    main: html`${crumbs(['/console/agents', 'Agents'])}
<div class="split"><h1><bdi>${agent.name}</bdi></h1><a class="button" href="/agents/${agent.reg}">Public page</a></div>
<p><span class="number">${agent.reg}</span> <button type="button" class="light small" data-copy="${agent.reg}" hidden aria-label="Copy the number">Copy</button> ${stateTag(agent.status)}</p>
${withheldNote(agent.texts_withheld_at, 'the texts of this agent')}
${summary(own, c.get('now')())}
${await incidentSection(c, own, rejected.incident)}
${await proofSection(c, own, rejected.proof ?? {})}
<div class="columns">${isActive && (await detailsSection(c, own, rejected.texts))}<div>${isActive && reportSection(c, own)}
${await platformSection(c, own, rejected.platform)}
${keySection(agent)}
${badgeSection(c, agent)}</div></div>
${isActive && html`<section aria-labelledby="end"><h2 id="end">Deactivate</h2><p>No more events are accepted, and the agent no longer counts toward your limit of active agents. The number and its history remain public. This cannot be undone.</p><p><a class="button danger" href="/console/agents/${agent.reg}/deactivate">Deactivate agent…</a></p></section>`}`,
  })
}

function summary({ agent, stats, basis, days }: OwnAgent, now: Date): Html {
  const { trust_score_overall: score, trust_score_updated: scored } = shownScore(basis)
  const { standing } = shownOf({ operator_status: 'active', status: agent.status, basis })
  const facts = [
    ['Standing', standingTag(standing)],
    ['Trust score', score ?? html`<span class="quiet">not yet</span>`],
    ['Tasks completed', count(stats.tasks_completed)],
    ['Tasks failed', count(stats.tasks_failed)],
    ['Tasks, 30 days', sparkline(days)],
  ] as const
  return html`<dl class="sums">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
<p class="hint">${classText(agent.class)}, registered on ${day(agent.registered_at)}${stats.last_active_at ? html`, last event ${when(stats.last_active_at, now)}` : ', no events yet'}${scored && html`, score changed ${when(scored, now)}`}${agent.deactivated_at && html`, deactivated on ${day(agent.deactivated_at)}`}</p>`
}

function classText(letter: string): string {
  const meaning =
    CLASSES.split(', ')
      .find((one) => one.startsWith(`${letter}: `))
      ?.slice(3) ?? letter
  return capitalized(meaning)
}

async function detailsSection(c: Ctx, { agent }: OwnAgent, rejected: Rejected['texts']): Promise<Html> {
  const texts = rejected?.sent ?? { ...agent, specializations: agent.specializations.join(', ') }
  const hidden = [linkNote(agent.domain, agent.homepage_url), linkNote(agent.domain, agent.card_url)]
  const notes = ['Homepage', 'Agent card'].flatMap((label, n) =>
    hidden[n] ? [`${label}: ${hidden[n]}.`] : [],
  )
  return html`<section aria-labelledby="details"><h2 id="details">Details</h2>${notes.length > 0 && html`<p class="hint">${notes.join(' ')}</p>`}${await form(
    c,
    `/console/agents/${agent.reg}`,
    html`${agentFields(texts, rejected?.problems)}<button>Save changes</button>`,
  )}</section>`
}

async function platformSection(
  c: Ctx,
  { agent, membership }: OwnAgent,
  rejected: Rejected['platform'],
): Promise<Html> {
  const { platform_name, platform_slug, platform_state, platform_leaves_at, next_platform_slug } = membership
  const path = `/console/agents/${agent.reg}/platform`
  const now = platform_slug
    ? html`<p>On <a href="/platforms/${platform_slug}"><bdi>${platform_name}</bdi></a> ${stateTag(platform_state ?? '')}${platform_state === 'claimed' && html` <span class="hint">until the platform confirms it, this is shown as your claim</span>`}</p>`
    : html`<p class="quiet">On no platform.</p>`
  const leaves =
    platform_leaves_at &&
    html`<p class="warn">It leaves on ${day(platform_leaves_at)}${next_platform_slug && html` and joins <span class="mono">${next_platform_slug}</span>`}. To stay, enter the current platform again.</p>`
  if (agent.status !== 'active')
    return html`<section aria-labelledby="platform"><h2 id="platform">Platform</h2>${now}</section>`
  const problems = rejected?.problems
  const fields = html`${problems && problemNote(problems)}${textField({
    name: 'platform_slug',
    label: 'Platform',
    hint: `Slug of the platform; leave the field empty for none.${platform_slug ? ' An agent leaves an established platform after 7 days, others at once.' : ''}`,
    value: rejected?.sent ?? platform_slug,
    ...(problems && { problems }),
  })}<button class="light">Change platform</button>`
  return html`<section aria-labelledby="platform"><h2 id="platform">Platform</h2>${now}${leaves}${await form(c, path, fields)}</section>`
}

function reportSection(c: Ctx, { agent, keys }: OwnAgent): Html {
  const hint =
    keys.length === 0
      ? html`<p>None of your API keys has the permission to report yet. <a href="/console/keys/new">Create a key</a>.</p>`
      : html`<p>These keys can report on it: ${keys.map((key, n) => html`${n > 0 && ', '}<a href="/console/keys/${key.id}"><bdi>${key.name}</bdi></a> <span class="number quiet">${key.key_prefix}…</span>`)}.</p>`
  return html`<section aria-labelledby="report"><h2 id="report">Report events</h2>${hint}
<p>${EVENTS_ARE_PUBLIC}</p>
${copyable('curl', 'Reports a completed task', unbroken(reportCommand(c.get('env').BASE_URL, agent.reg)))}</section>`
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

function keySection({ reg }: OwnAgent['agent']): Html {
  return html`<section aria-labelledby="keys"><h2 id="keys">Signed requests</h2>
<p>With a key of its own, the agent signs its requests, and receivers know who is calling.</p><p><a class="button light" href="/console/agents/${reg}/keys">Keys of this agent</a></p></section>`
}

function badgeSection(c: Ctx, { reg }: OwnAgent['agent']): Html {
  const at = `${c.get('env').BASE_URL}/agents/${reg}`
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
<p><img src="/agents/${reg}/badge.svg" alt="Badge of ${reg}" height="20"></p>
${copyable('markdown', 'Markdown', unbroken(`[![Agent ${reg}](${at}/badge.svg)](${at})`))}</section>`
}
