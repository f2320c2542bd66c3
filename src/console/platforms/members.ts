import { prefetched } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { confirm, removeMember } from '../../members/manage.ts'
import { readChangeable } from '../../members/prefetch.ts'
import { memberQuery } from '../../members/schema.ts'
import { requireMembers } from '../../members/store.ts'
import { html, navigation } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parse, parseQuery } from '../../pages/respond.ts'
import { regParam } from '../../wire/fields.ts'
import { empty } from '../frame.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { PLATFORM, pathOf, platformOf, readPlatform, readPlatformAnd, showBelow, showTab } from './frame.ts'
import { memberTable } from './member-table.ts'

const STATES = [
  ['', 'All'],
  ['claimed', 'To confirm'],
  ['confirmed', 'Confirmed'],
] as const

const regOf = (c: Ctx) => parse(regParam, c.req.param()).reg

/** The agents on a platform, and the forms that confirm and remove them. */
export const platformMemberPages = consolePages()
  .page(`${PLATFORM}/agents`, async (c) => {
    const query = parseQuery(c, memberQuery)
    const [platform, { data, total }] = await readPlatformAnd(
      c,
      requireMembers(c.get('db'), platformOf(c), query),
    )
    const addressOf = (state = '') => pathOf(platform, `/agents${state && `?state=${state}`}`)
    const states = STATES.map(([state, label]) => [addressOf(state), label] as const)
    const list =
      total === 0
        ? empty(
            query.state === 'claimed' ? 'No agent is waiting for your confirmation' : 'No agents here',
            html`Operators name this platform, as <code>${platform.slug}</code>, when they register agents. Confirm the agents that you know.`,
          )
        : html`${memberTable(c, platform, data)}${pager(c, query, total)}`
    return showTab(
      c,
      platform,
      '/agents',
      html`<h2>Agents</h2>${navigation('State', states, addressOf(query.state))}${list}`,
    )
  })
  .action(`${PLATFORM}/agents/:reg/confirm`, async (c) => {
    const platform = platformOf(c)
    await confirm(c.get('db'), platform, regOf(c), c.get('now')())
    return done(c, pathOf(platform, '/agents'), 'member-confirmed')
  })
  .page(`${PLATFORM}/agents/:reg/remove`, async (c) => {
    const reg = regOf(c)
    const platform = await readPlatform(c)
    return showBelow(c, platform, {
      title: 'Remove an agent',
      trail: [[pathOf(platform, '/agents'), 'Agents']],
      main: html`<p>Agent <a class="number" href="/agents/${reg}">${reg}</a> leaves this platform immediately, and cannot join it again for 30 days. Its operator is notified.</p>
${form(c, pathOf(platform, `/agents/${reg}/remove`), html`<div class="row"><button class="danger">Remove agent</button><a class="button light" href="${pathOf(platform, '/agents')}">Keep it</a></div>`)}`,
    })
  })
  .action(
    `${PLATFORM}/agents/:reg/remove`,
    async (c) => {
      const platform = platformOf(c)
      await removeMember(c, platform, regOf(c), prefetched(c, readChangeable))
      return done(c, pathOf(platform, '/agents'), 'member-removed')
    },
    'session',
    readChangeable,
  )
