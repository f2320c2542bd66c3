import { Hono } from 'hono'
import { searchQuery } from '../agents/search-query.ts'
import { searchCards } from '../agents/search-store.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { findPublicOperator } from '../operators/public-store.ts'
import type { PublicOperator } from '../operators/responses.ts'
import { idParam } from '../wire/fields.ts'
import { agentsOf } from './agents-of.ts'
import { claim, count, counted, day, type Html, html, WITHHELD } from './html.ts'
import { parse, publicPage, respond } from './respond.ts'

const params = idParam('id', 'the operator')

/** The route of an operator's page; `me` exists only in the API. */
export const OPERATOR_PATH = '/operators/:id{(?!me$)[^/]+}'

/** The public page of an operator: what is checked about it, and its agents. */
export const operatorPages = new Hono<App>().get(OPERATOR_PATH, ...publicPage(), async (c) => {
  const id = parse(params, c.req.param()).id.toLowerCase()
  const [operator, found] = await Promise.all([
    findPublicOperator(c.get('db'), id),
    searchCards(
      c.get('db'),
      { ...searchQuery.parse({ operator: id }), operator_status: 'any' },
      utcDay(c.get('now')()),
    ),
  ])
  if (!operator) throw new ApiError('NOT_FOUND', `there is no operator ${id}`)
  const { name, name_verified, status } = operator
  const isSuspended = status === 'suspended'
  const isQuoted = !name_verified && !isSuspended
  const quoted = isQuoted ? `“${name}”` : name
  return respond(c, {
    title: `${quoted}, operator`,
    description: `${quoted} operates ${counted(operator.agent_count, 'active agent')}. What is checked about this operator, and its agents.`,
    path: `/operators/${id}`,
    json: `/api/v1/operators/${id}`,
    main: html`<h1>${isQuoted ? html`“<bdi>${name}</bdi>”` : html`<bdi>${name}</bdi>`}</h1>
<p class="quiet">An operator registers agents and is responsible for them</p>
${isSuspended && html`<p class="note bad" role="status"><span>This operator is suspended: the registry rejects all of its credentials, and withholds its texts. Its agents and their logs remain public.</span></p>`}
<h2>What is checked</h2>
${checked(operator)}
${agentsOf({ operator: id, ...(isSuspended && { operator_status: status }) }, found, { now: c.get('now')(), operator: false })}`,
  })
})

function checked(operator: PublicOperator): Html {
  const { name, name_verified, status, kyc_status, domains, domain_count, agent_count, created_at, id } =
    operator
  return html`<dl class="facts">
<dt>Identity</dt><dd>${IDENTITY[kyc_status]}</dd>
<dt>Name</dt><dd>${
    name_verified
      ? html`<span class="good">✓ checked</span>: an identity document checked for this account shows exactly this name`
      : status === 'suspended'
        ? WITHHELD
        : claim(name)
  }</dd>
<dt>Domains</dt><dd>${
    domain_count === 0
      ? html`<span class="quiet">none verified</span>`
      : html`<span class="good">✓ verified</span> for its agents, and checked again every week:
<ul class="plain">${domains.map((domain) => html`<li>${domain}</li>`)}</ul>${domain_count > domains.length && html` and ${counted(domain_count - domains.length, 'more domain')}`}`
  }</dd>
${status !== 'suspended' && html`<dt>Active agents</dt><dd>${count(agent_count)}</dd>`}
<dt>Registered</dt><dd>${day(created_at)}</dd>
<dt>Permanent ID</dt><dd class="mono">${id}</dd>
</dl>
<p class="hint"><a href="/docs/verification">What a verification means</a>, and what it does not mean</p>`
}

const IDENTITY = {
  verified: html`<span class="good">✓ verified</span>: a person behind this account showed an identity document within the last 365 days`,
  expired: html`<span class="warn">expired</span>: a person showed an identity document more than 365 days ago`,
  pending: html`<span class="quiet">being checked at the moment</span>`,
  failed: html`<span class="quiet">not verified: the last check failed</span>`,
  unverified: html`<span class="quiet">not verified</span>`,
} satisfies Record<PublicOperator['kyc_status'], Html>
