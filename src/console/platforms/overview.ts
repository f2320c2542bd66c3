import { EVENT_TYPES } from '../../db/enums.ts'
import type { Ctx } from '../../http/context.ts'
import { requireMembers } from '../../members/store.ts'
import { asOptions, fieldsOf } from '../../pages/field.ts'
import { counted, day, factList, type Html, html, left, minute } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { changePlatform } from '../../platforms/manage.ts'
import { platformChanges } from '../../platforms/schema.ts'
import { sendTest } from '../../webhooks/manage/actions.ts'
import { webhookTestInput } from '../../webhooks/manage/schema.ts'
import { live } from '../frame.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { deliveryTable } from './delivery-table.ts'
import {
  canSend,
  PLATFORM,
  pathOf,
  platformOf,
  readPlatformAnd,
  type ShownPlatform,
  showTab,
} from './frame.ts'
import { memberTable } from './member-table.ts'
import { requireListed } from './store.ts'
import { troubleNote } from './trouble.ts'

const PREVIEW = { page: 1, per_page: 5 }

/** The overview of a platform: its webhook, agents to confirm, and the latest deliveries. */
export const platformOverviewPages = consolePages()
  .page(PLATFORM, async (c) => {
    const [db, own] = [c.get('db'), platformOf(c)]
    const [platform, [waiting, sent]] = await readPlatformAnd(
      c,
      Promise.all([
        requireMembers(db, own, { ...PREVIEW, state: 'claimed' }),
        requireListed(db, own, PREVIEW),
      ]),
    )
    const isOpen = platform.status === 'active'
    return showTab(
      c,
      platform,
      '',
      html`${troubleNote(c, platform)}${facts(platform, c.get('now')())}
${
  isOpen &&
  waiting.total > 0 &&
  html`<h2>Agents to confirm</h2>${memberTable(c, platform, waiting.data)}
${waiting.total > waiting.data.length && html`<p><a href="${pathOf(platform, '/agents?state=claimed')}">All ${counted(waiting.total, 'agent')} to confirm</a></p>`}`
}
<h2>Latest deliveries</h2>${
        sent.total === 0
          ? html`<p class="quiet">None in the last 30 days.</p>`
          : html`${live(deliveryTable(c, platform, sent.data), isOpen)}<p><a href="${pathOf(platform, '/deliveries')}">All deliveries</a></p>`
      }
${canSend(platform) && testForm(c, platform)}`,
    )
  })
  .action(`${PLATFORM}/enable`, async (c) => {
    const platform = platformOf(c)
    const changes = parse(platformChanges, { webhook_status: 'enabled' })
    await changePlatform(c.var, platform, changes, c.get('now')())
    return done(c, pathOf(platform), 'webhook-enabled')
  })
  .action(`${PLATFORM}/test`, async (c, { fields }) => {
    const platform = platformOf(c)
    const { id } = await sendTest(c, platform, parse(webhookTestInput, { type: fields.type }).type)
    return done(c, pathOf(platform, `/deliveries/${id}`), 'test-sent')
  })

function facts(platform: ShownPlatform, now: Date): Html {
  const { slug, status, webhook_url, event_types, admission, previous_secret_expires_at: until } = platform
  const settings = [
    ['Webhook URL', webhook_url ? html`<span class="mono">${webhook_url}</span>` : 'none'],
    ['Events', event_types ? `${event_types.length} of ${EVENT_TYPES.length} types` : 'all types'],
    [
      'Webhook secret',
      until
        ? html`rotated; webhooks are also signed with the previous one until ${minute(until)} (${left(until, now)} left)`
        : html`active · <a href="${pathOf(platform, '/secret')}">rotate</a>`,
    ],
    ['Admission', admission === 'open' ? 'open' : 'by approval'],
  ] as const
  return factList([
    ['Slug', html`<span class="number">${slug}</span> · <a href="/platforms/${slug}">public page</a>`],
    ...(status === 'active' ? settings : []),
    ['Reports', reportSource(platform)],
    ['Registered', day(platform.created_at)],
  ])
}

function reportSource({ established_at, distrusted_at }: ShownPlatform): Html | string {
  if (distrusted_at)
    return html`distrusted by the registry since ${day(distrusted_at)}: at most the source peer`
  return established_at ? html`established since ${day(established_at)}` : 'not established yet'
}

function testForm(c: Ctx, platform: ShownPlatform): Html {
  return html`<h2>Send a test event</h2><p>The example of a type is sent to your endpoint, signed, and marked <code>"test": true</code>.</p>
${form(
  c,
  pathOf(platform, '/test'),
  html`<div class="row">${fieldsOf({}).choice('type', 'Event type', asOptions(EVENT_TYPES))}<button>Send test event</button></div>`,
)}`
}
