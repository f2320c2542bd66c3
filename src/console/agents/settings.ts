import { changeAgent } from '../../agents/change.ts'
import { agentChanges } from '../../agents/schema.ts'
import { prefetched } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { readChangeable } from '../../members/prefetch.ts'
import { fieldsOf, type Problems } from '../../pages/field.ts'
import { copyable, day, type Html, html, section, unbroken } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { attempt, emptyToNull } from '../attempt.ts'
import { type Confirmation, confirmationFields, confirmationProblems } from '../confirm.ts'
import { stateTag } from '../frame.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { AGENT_FIELDS, type AgentTexts, agentFields, agentSent } from './form.ts'
import { AGENT, agentPath, hideForeign, regOf, requireOwn, showBelow, showTab } from './frame.ts'
import type { AgentRow } from './store.ts'

const TAB = '/settings'

interface Rejected {
  texts?: { sent: AgentTexts; problems: Problems }
  platform?: { sent: string; problems: Problems }
}

/** The texts and the platform of an agent, its badge, and its end. */
export const agentSettingsPages = consolePages()
  .page(`${AGENT}${TAB}`, (c) => settingsPage(c))
  .action(
    `${AGENT}${TAB}`,
    async (c, sent) => {
      const reg = regOf(c)
      const changed = await attempt(AGENT_FIELDS, () => change(c, reg, agentSent(sent)))
      if (changed.ok) return done(c, agentPath(reg, TAB), 'agent-changed')
      return settingsPage(c, { texts: { sent: sent.fields, problems: changed.problems } }, changed.status)
    },
    'session',
    readChangeable,
  )
  .action(
    `${AGENT}/platform`,
    async (c, { fields }) => {
      const reg = regOf(c)
      const platform_slug = emptyToNull(fields.platform_slug)
      const changed = await attempt(['platform_slug'], () => change(c, reg, { platform_slug }))
      if (changed.ok) return done(c, agentPath(reg, TAB), 'agent-changed')
      const platform = { sent: platform_slug ?? '', problems: changed.problems }
      return settingsPage(c, { platform }, changed.status)
    },
    'session',
    readChangeable,
  )
  .page(`${AGENT}/deactivate`, (c) => deactivation(c))
  .action(
    `${AGENT}/deactivate`,
    async (c, { fields }) => {
      const reg = regOf(c)
      const problems = confirmationProblems(confirmationOf(reg), fields.number)
      if (problems) return deactivation(c, fields.number, problems)
      await change(c, reg, { status: 'deactivated' })
      return done(c, agentPath(reg), 'agent-deactivated')
    },
    'session',
    readChangeable,
  )

function change(c: Ctx, reg: string, changes: unknown) {
  const found = prefetched(c, readChangeable)
  return hideForeign(reg, () => changeAgent(c, reg, parse(agentChanges, changes), found))()
}

async function settingsPage(c: Ctx, rejected: Rejected = {}, status = 200): Promise<Response> {
  const own = await requireOwn(c)
  const { agent } = own
  const isActive = agent.status === 'active'
  return showTab(
    c,
    own,
    TAB,
    html`<div class="columns">${isActive && detailsSection(c, own, rejected.texts)}<div>${platformSection(c, own, rejected.platform)}
${badgeSection(c, agent)}</div></div>
${isActive && section('end', 'Deactivate', html`<p>No more events are accepted, and the agent no longer counts toward your limit of active agents. The number and its history remain public. This cannot be undone.</p><p><a class="button danger" href="${agentPath(agent.reg, '/deactivate')}">Deactivate agent…</a></p>`)}`,
    status,
  )
}

function detailsSection(c: Ctx, { agent }: AgentRow, rejected: Rejected['texts']): Html {
  const texts = rejected?.sent ?? { ...agent, specializations: agent.specializations.join(', ') }
  const fields = html`${agentFields(texts, rejected?.problems)}<button>Save changes</button>`
  return section('details', 'Details', form(c, agentPath(agent.reg, TAB), fields))
}

function platformSection(c: Ctx, { agent, membership }: AgentRow, rejected: Rejected['platform']): Html {
  const { platform_name, platform_slug, platform_state, platform_leaves_at, next_platform_slug } = membership
  const path = agentPath(agent.reg, '/platform')
  const now = platform_slug
    ? html`<p>On <a href="/platforms/${platform_slug}"><bdi>${platform_name}</bdi></a> ${stateTag(platform_state ?? '')}${platform_state === 'claimed' && html` <span class="hint">until the platform confirms it, this is shown as your claim</span>`}</p>`
    : html`<p class="quiet">On no platform.</p>`
  const leaves =
    platform_leaves_at &&
    html`<p class="warn">It leaves on ${day(platform_leaves_at)}${next_platform_slug && html` and joins <span class="mono">${next_platform_slug}</span>`}. To stay, enter the current platform again.</p>`
  if (agent.status !== 'active') return section('platform', 'Platform', now)
  const { note, text } = fieldsOf({ platform_slug: rejected?.sent ?? platform_slug }, rejected?.problems)
  const hint = `Slug of the platform; leave the field empty for none.${platform_slug ? ' An agent leaves an established platform after 7 days, others at once.' : ''}`
  const fields = html`${note}${text('platform_slug', 'Platform', hint)}<button class="light">Change platform</button>`
  return section('platform', 'Platform', html`${now}${leaves}${form(c, path, fields)}`)
}

function badgeSection(c: Ctx, { reg }: AgentRow['agent']): Html {
  const at = `${c.get('env').BASE_URL}/agents/${reg}`
  const content = html`<p><img src="/agents/${reg}/badge.svg" alt="Badge of ${reg}" height="20"></p>
${copyable('markdown', 'Markdown', unbroken(`[![Agent ${reg}](${at}/badge.svg)](${at})`))}`
  return section('badge', 'Badge', content)
}

const confirmationOf = (reg: string): Confirmation => ({
  name: 'number',
  label: 'Number of the agent',
  action: 'deactivate it',
  expected: reg,
  anyCase: true,
  submit: 'Deactivate agent',
  keep: 'Keep it active',
})

async function deactivation(c: Ctx, typed = '', problems?: Problems): Promise<Response> {
  const own = await requireOwn(c)
  const { reg, name } = own.agent
  const fields = confirmationFields(confirmationOf(reg), agentPath(reg, TAB), typed, problems)
  return showBelow(c, own, TAB, {
    title: 'Deactivate this agent',
    status: problems ? 400 : 200,
    main: html`<div class="note warn"><p><strong>This cannot be undone.</strong> <bdi>${name}</bdi> accepts no more events, and its number is never assigned to another agent. Its history, incidents, and last score remain public.</p></div>
${form(c, agentPath(reg, '/deactivate'), fields)}`,
  })
}
