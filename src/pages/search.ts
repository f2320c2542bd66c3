import { Hono } from 'hono'
import type { SearchQuery } from '../agents/search-query.ts'
import { type FoundOperator, findOperators, searchCards } from '../agents/search-store.ts'
import type { App, Ctx } from '../http/context.ts'
import { checkMatches } from '../lib/agent-number.ts'
import { utcDay } from '../lib/time.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { numberShape, readNumber } from './agent-number.ts'
import { agentTable, operatorLink } from './agent-table.ts'
import { counted, type Html, html, sentence } from './html.ts'
import { pager } from './pager.ts'
import { publicPage, respond } from './respond.ts'
import { isOnChip, searchChips } from './search-chips.ts'
import { searchForm } from './search-form.ts'
import { addressOf, foundCount, PAGE_ONLY, type Requested, readDomain, readQuery } from './search-query.ts'

const PATH = '/agents'
const API = '/api/v1/agents/search'

type Found = Awaited<ReturnType<typeof searchCards>>

/** The search for agents. An agent number redirects to its agent, a verified domain to its agents. */
export const searchPages = new Hono<App>().get(PATH, ...publicPage(), async (c) => {
  const requested = readQuery(c)
  const { query, given } = requested
  if (!query) return show(c, requested, 400)
  const reg = readNumber(given.q ?? '')
  if (reg && checkMatches(reg)) return c.redirect(`${PATH}/${reg}`, 303)
  const { q, status, ...filters } = query
  const domain = q !== undefined && query.domain === undefined ? readDomain(q) : null
  const [db, today] = [c.get('db'), utcDay(c.get('now')())]
  const [found, verified, below, operators] = await Promise.all([
    searchCards(db, query, today),
    domain === null ? null : searchCards(db, { ...filters, domain, page: 1 }, today),
    domain === null ? null : searchCards(db, { ...filters, under: domain, page: 1 }, today),
    q === undefined || query.page > 1 ? [] : findOperators(db, q),
  ])
  const { q: _, ...rest } = given
  if (domain && verified && verified.total > 0) {
    const only = verified.total === 1 ? verified.data[0] : undefined
    return c.redirect(only ? `${PATH}/${only.reg}` : addressOf(PATH, { ...rest, domain }), 303)
  }
  if (domain && below && below.total > 0) return c.redirect(addressOf(PATH, { ...rest, under: domain }), 303)
  return show(
    c,
    requested,
    200,
    html`${reg && html`<p class="note warn" role="alert"><span>${sentence(agentNotFound(reg).message)}</span></p>`}${
      domain &&
      found.total === 0 &&
      html`<p class="note">No agent has verified the domain <b>${domain}</b> or one below it.</p>`
    }${operators.length > 0 && operatorList(operators)}${results(c, found, query, given)}`,
  )
})

function operatorList(operators: readonly FoundOperator[]): Html {
  return html`<h2>Operators</h2>
<ul class="list">${operators.map(
    (one) =>
      html`<li><p>${operatorLink(one.id, one.name, one.name_verified)} · ${counted(one.agents, 'agent')}</p></li>`,
  )}</ul>`
}

/** The parameters of the API for the same search: it lists agents of each status unless asked for one. */
function asApi({ given, query }: Requested): Requested['given'] {
  const { status, ...filters } = given
  return query?.status ? { ...filters, status: query.status } : filters
}

function show(c: Ctx, requested: Requested, status: number, results?: Html): Promise<Response> {
  const { q } = requested.given
  return respond(
    c,
    {
      title: q === undefined ? 'Agents' : `Agents: ${q}`,
      ...(status === 200 && {
        description: 'Search software agents by number, domain, words, and trust score, best first.',
        ...(!PAGE_ONLY.some((name) => requested.given[name]) && {
          json: addressOf(API, asApi(requested), requested.query?.page),
        }),
      }),
      path: PATH,
      main: html`<h1>Agents</h1>
${status === 400 && problemNote(requested)}
${searchForm(requested)}
${status === 200 && searchChips(requested.given)}
${results}`,
    },
    { status },
  )
}

function results(c: Ctx, { total, near, data }: Found, query: SearchQuery, given: Requested['given']): Html {
  if (total === 0) return noneFound(given)
  const { q, under, order } = given
  return html`${
    near
      ? html`<h2>No agent matches “${q}”</h2>
<p>${foundCount(total)} with a similar name:</p>`
      : html`<h2>${foundCount(total)}${under && html` below ${under}`}, ${order === 'newest' ? 'newest' : 'best'} first</h2>`
  }
${data.length > 0 && agentTable(data, { now: c.get('now')() })}
${pager(c, query, total)}`
}

function noneFound(given: Requested['given']): Html {
  const { page, ...filters } = given
  return html`<h2>${Object.keys(filters).length === 0 ? 'No agent is registered yet' : 'No agent found'}</h2>
<p>${
    Object.keys(filters).length === 0
      ? html`Be the first: <a href="/console">register an agent</a>.`
      : html`No registered agent matches. Try fewer words or filters, or look at <a href="${PATH}">all agents</a>.`
  }</p>
${numberShape()}`
}

/** The note above a rejected search: the form marks its fields; the others are named here. */
function problemNote({ problems }: Requested): Html {
  const [other] = Object.entries(problems).filter(([name]) => name === 'page' || isOnChip(name))
  return html`<p class="note bad" role="alert"><span>${other ? `${other[0]}: ${sentence(other[1])}` : 'This search has an invalid field: see the marked one.'}</span></p>`
}
