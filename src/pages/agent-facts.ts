import type { AgentProfile } from '../agents/responses.ts'
import type { Standing } from '../db/enums.ts'
import type { Incident } from '../incidents/responses.ts'
import { defaultTexts } from '../incidents/store.ts'
import { STANDING_WORDS } from '../trust/standing.ts'
import { CLASS_MEANING } from '../wire/agent-fields.ts'
import type { AgentOnPage } from './agent-store.ts'
import {
  capitalized,
  claim,
  count,
  counted,
  day,
  type Fact,
  factList,
  type Html,
  html,
  quoted,
  section,
  severityTag,
  verified,
  when,
} from './html.ts'

/** The verified domain and the operator of an agent. */
export function ownerLine(
  {
    domain,
    ownership_verified_at,
    operator_id,
    operator_name,
    operator_name_verified,
    operator_status,
  }: AgentProfile,
  now: Date,
): Html {
  const verified =
    domain === null
      ? html`<span class="quiet">No verified domain</span>`
      : html`<b>${domain}</b> <span class="good">✓ verified${ownership_verified_at && html` ${when(ownership_verified_at, now)}`}</span>`
  const operator = html`<a href="/operators/${operator_id}">${operator_name}</a>`
  const checked = operator_name_verified
    ? html`<bdi>${operator}</bdi> <span class="good">✓ name checked</span>`
    : claim(operator)
  return html`<p>${verified} · by ${
    operator_status === 'suspended' ? html`${operator} <span class="tag bad">suspended</span>` : checked
  }</p>`
}

/** Who reported an event or incident: the operator, or a platform by its slug; and the source. */
export function reporter({ platform, source }: Pick<Incident, 'platform' | 'source'>): Html {
  const name = platform === null ? 'operator' : html`<a href="/platforms/${platform}">${platform}</a>`
  return html`${name} <small class="quiet">(${source})</small>`
}

/** The id of an incident on the page of its agent, by its place in the list. */
export const incidentId = (n: number) => `incident-${n + 1}`

/** The newest incidents, with a link to all of them. */
export function incidentSection(
  incidents: NonNullable<AgentOnPage['incidents']>,
  profile: AgentProfile,
  now: Date,
): Html {
  const { incident_count, withheld } = profile
  const list =
    incidents.length === 0
      ? html`<p class="quiet">None reported.</p>`
      : html`<ul class="list">${incidents.map((incident, n) => {
          const { severity, created_at, resolved_at } = incident
          const { title } = withheld?.includes('name') ? defaultTexts(incident) : incident
          return html`<li id="${incidentId(n)}"><p>${severityTag(severity)} <b><bdi>${title}</bdi></b></p>
<p class="hint">${resolved_at ? html`<span class="good">✓ resolved</span> ${when(resolved_at, now)}` : html`<b>open</b>`} · reported ${when(created_at, now)} by ${reporter(incident)}</p></li>`
        })}</ul>
${incident_count > incidents.length && html`<p class="hint">The newest ${incidents.length} of ${count(incident_count)}.</p>`}`
  return section('incidents', 'Incidents', list)
}

/** What the registry has checked about an agent, with dates. */
export function checkedSection(
  profile: AgentProfile,
  keys: NonNullable<AgentOnPage['keys']>,
  now: Date,
): Html {
  const { domain, ownership_verified_at, operator_kyc_status } = profile
  const facts: readonly Fact[] = [
    [
      'Domain',
      domain === null
        ? html`<span class="quiet">none verified</span>`
        : verified(domain, ownership_verified_at, now),
    ],
    ['Operator', operatorIdentity(operator_kyc_status)],
    ['Platform', profile.platform_state === 'confirmed' ? platformFact(profile, now) : null],
    ['Signs requests', keyFact(profile, keys, now)],
  ]
  return section('checked', 'Checked by the registry', factList(facts))
}

/** What the operator says about an agent. */
export function statedSection(profile: AgentProfile, now: Date): Html {
  const { description, specializations, homepage_url, card_url } = profile
  const facts: readonly Fact[] = [
    ['Description', description === '' ? null : html`<span class="text">${quoted(description)}</span>`],
    ['Class', quoted(CLASS_MEANING[profile.class])],
    ['Platform', profile.platform_state === 'confirmed' ? null : platformFact(profile, now)],
    ['Specializations', specializations.length === 0 ? null : quoted(specializations.join(', '))],
    ['Homepage', link(homepage_url)],
    ['Agent card', link(card_url)],
  ]
  return section('stated', 'Stated by its operator, not checked', factList(facts))
}

/** What the log says about an agent over all time. */
export function recordSection(profile: AgentProfile, now: Date): Html {
  const isActive = profile.status === 'active'
  const facts: readonly Fact[] = [
    ['Tasks', tasksFact(profile)],
    ['Mean response', profile.avg_response_ms === null ? null : `${count(profile.avg_response_ms)} ms`],
    ['Last active', profile.last_active_at && (isActive ? when : day)(profile.last_active_at, now)],
    ['Registered', day(profile.registered_at)],
    ['Renamed', profile.name_changed_at && day(profile.name_changed_at)],
    [
      'Score changed',
      profile.trust_score_updated && (isActive ? when : day)(profile.trust_score_updated, now),
    ],
  ]
  return section('record', 'Since its registration', factList(facts))
}

function operatorIdentity(kyc: AgentProfile['operator_kyc_status']): Html {
  return kyc === 'verified'
    ? html`<span class="good">✓</span> a person showed an identity document`
    : html`<span class="warn">identity not verified${kyc === 'expired' && ': the last check has expired'}</span>`
}

function platformFact(
  { platform_name, platform_slug, platform_state, platform_since, platform_leaves_at }: AgentProfile,
  now: Date,
): Html | null {
  if (platform_name === null) return null
  const state = {
    confirmed: html` <span class="good">✓ confirmed by the platform</span>`,
    claimed: null,
    retired: html` <small class="quiet">retired</small>`,
  }[platform_state ?? 'claimed']
  return html`<a href="/platforms/${platform_slug}"><bdi>${platform_name}</bdi></a>${state}${platform_since && html`, since ${day(platform_since)}`}${platform_leaves_at && html`, leaves ${when(platform_leaves_at, now)}`}`
}

/** The valid keys; they sign for nobody while the agent is deactivated or its operator suspended. */
function keyFact(
  { status, operator_status }: AgentProfile,
  keys: NonNullable<AgentOnPage['keys']>,
  now: Date,
): Html | null {
  const [first, ...more] = keys.filter(({ expires_at }) => !expires_at || new Date(expires_at) > now)
  if (!first || status !== 'active' || operator_status !== 'active') return null
  return html`${counted(1 + more.length, 'key')}, since ${day(first.added_at)} · <a href="/docs/signed-requests">how to check</a>`
}

/** A link of the profile, which is public only below the verified domain; its target is never checked. */
function link(url: string | null): Html | null {
  return url === null ? null : html`<a href="${url}" rel="nofollow noopener ugc">${url}</a>`
}

function tasksFact({ tasks_completed, tasks_failed, success_rate }: AgentProfile): Html {
  if (success_rate === null) return html`<span class="quiet">None yet</span>`
  return html`${count(tasks_completed)} completed, ${count(tasks_failed)} failed (${success_rate}% completed)`
}

/** States above the pages of an agent why its texts are withheld. */
export function withheldNote(isSuspended: boolean): Html {
  return isSuspended
    ? html`<div class="note bad"><p><b>The operator of this agent is suspended.</b> The operator’s credentials are rejected, and the texts of its agents, their events, and their incidents are withheld.</p></div>`
    : html`<div class="note warn"><p><b>The registry withholds the texts of this agent</b>, of its events, and of its incidents.</p></div>`
}

/** An agent in a title: its name, unless it is withheld, and its number. */
export function titleOf({ name, reg }: Pick<AgentProfile, 'name' | 'reg'>): string {
  return name === reg ? reg : `${name} (${reg})`
}

/** The description for search engines and previews: the standing, what it means, score, and domain. */
export function summaryOf(
  { trust_score_overall: score, domain }: AgentProfile,
  standing: Standing,
  sentence: string,
): string {
  const parts = [score && `Trust score ${score} of 100`, domain ? `✓ ${domain}` : 'No verified domain']
  const word = capitalized(STANDING_WORDS[standing])
  return [`${word}: ${sentence}`, ...parts].filter((part) => part !== null).join(' · ')
}
