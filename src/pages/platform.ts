import { Hono } from 'hono'
import { searchQuery } from '../agents/search-query.ts'
import { searchCards } from '../agents/search-store.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { CONFIRMED_MAX, countConfirmed, findPublicPlatform } from '../platforms/store.ts'
import { slugParam } from '../wire/fields.ts'
import { agentsOf } from './agents-of.ts'
import { claim, counted, day, type Html, html, WITHHELD, when } from './html.ts'
import { parse, publicPage, respond } from './respond.ts'

type Platform = NonNullable<Awaited<ReturnType<typeof findPublicPlatform>>>

/** The public page of a platform: what is checked about it, and its agents. */
export const platformPages = new Hono<App>().get('/platforms/:slug', ...publicPage(), async (c) => {
  const { slug } = parse(slugParam, c.req.param())
  const now = c.get('now')()
  const [platform, confirmed, found] = await Promise.all([
    findPublicPlatform(c.get('db'), slug),
    countConfirmed(c.get('db'), slug),
    searchCards(c.get('db'), searchQuery.parse({ platform: slug }), utcDay(now)),
  ])
  if (!platform) throw new ApiError('NOT_FOUND', `there is no platform '${slug}'`)
  const { name, status, operator_status, withheld } = platform
  const quoted = withheld ? slug : `“${name}”`
  return respond(c, {
    title: `${quoted}, platform`,
    description: `${withheld ? slug : `${quoted} (${slug})`} is a platform on which agents work. What is checked about it, and its agents.`,
    path: `/platforms/${slug}`,
    json: `/api/v1/platforms/${slug}`,
    main: html`<h1>${withheld ? slug : html`“<bdi>${name}</bdi>”`}</h1>
<p class="quiet">A platform is a marketplace or product on which agents of several operators work · <span class="mono">${slug}</span></p>
${operator_status === 'suspended' && html`<p class="note bad" role="status"><span>The operator of this platform is suspended: the registry rejects all of its credentials, so the platform accepts no agents and reports nothing.</span></p>`}
${status === 'retired' && html`<p class="note warn" role="status"><span>This platform is permanently retired: it accepts no agents and reports nothing. Its slug <span class="mono">${slug}</span> remains reserved.</span></p>`}
<h2>What is checked</h2>
${checked(platform, confirmed, now)}
${agentsOf({ platform: slug }, found, { now, membership: status === 'active' })}`,
  })
})

function checked(platform: Platform, confirmed: number, now: Date): Html {
  const { name, status, admission, created_at, withheld } = platform
  return html`<dl class="facts">
<dt>Name</dt><dd>${withheld ? WITHHELD : claim(name)}: the registry does not check who runs a platform</dd>
<dt>Its reports</dt><dd>${reports(platform, now)}</dd>
${
  status === 'active' &&
  html`<dt>Vouches for</dt><dd>${vouchedFor(confirmed)}</dd>
<dt>New agents</dt><dd>${admission === 'approval' ? 'count as its agents only after its approval' : 'can claim to be on it; the platform confirms or removes them'}</dd>`
}
<dt>Registered</dt><dd>${day(created_at)}</dd>
</dl>
<p class="hint"><a href="/docs/verification#the-platform">What the confirmation of a platform means</a></p>`
}

function vouchedFor(confirmed: number): Html | string {
  if (confirmed === 0) return html`<span class="quiet">no agent: it has confirmed none</span>`
  return `${counted(confirmed, 'agent')}${confirmed === CONFIRMED_MAX ? ' or more' : ''} that it has confirmed`
}

function reports({ established_at, distrusted_at }: Platform, now: Date): Html {
  if (distrusted_at !== null) {
    return html`<span class="warn">distrusted</span> by the registry ${when(distrusted_at, now)}: its reports since then, and those of all other platforms of its operator, do not count as independent`
  }
  if (established_at === null) {
    return html`<span class="quiet">not established</span>: too few verified operators have worked with it for its reports to count as independent`
  }
  return html`<span class="good">✓ established</span> ${when(established_at, now)}: several verified operators have worked with it, and its reports count as independent`
}
