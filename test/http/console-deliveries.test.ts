import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import { type ConsoleVisitor, openConsole, problemAt } from '../support/console.ts'
import * as deliveries from '../support/deliveries.ts'
import { ago, deliveriesOf, disable, fillDeliveries, settled } from '../support/deliveries.ts'
import { shared } from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'

const h = shared()
const { sql, newAgent } = h

/** A platform with a receiver, whose operator is in the console. */
async function newIntegration() {
  const made = await deliveries.newIntegration(h)
  const visitor = await openConsole(h, made.operator.email)
  const at = (below = '') => `/console/platforms/${made.platform.slug}${below}`
  return { ...made, visitor, at, one: (id: string, below = '') => at(`/deliveries/${id}${below}`) }
}

type Integration = Awaited<ReturnType<typeof newIntegration>>

const all = ({ platform }: Integration) => deliveriesOf(h, platform)
const untilStatus = (integration: Integration, status: string, count = 1) =>
  settled(h, integration, status, count)

/** The ids of the deliveries that a page lists, in its order. */
async function listed(visitor: ConsoleVisitor, path: string): Promise<string[]> {
  const { status, text } = await visitor.get(path)
  expect(status, path).toBe(200)
  return [...text.matchAll(/\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id)
}

describe('a test event from the console', () => {
  it('arrives signed, is shown with its payload and response, and can be redelivered', async () => {
    await using integration = await newIntegration()
    const { visitor, receiver, platform, at, one } = integration
    receiver.respond({ status: 200, body: 'thanks <script>alert(1)</script>' })
    expect((await visitor.send(at(), at('/test'), { type: '<b>' })).status).toBe(400)
    const sent = await visitor.send(at(), at('/test'), { type: 'incident.created' })
    expect(sent.status).toBe(303)
    const [webhook] = await receiver.arrival(1, 'incident.created')
    if (!webhook) throw new Error('unreachable')
    expectSigned(webhook, platform.webhook_secret)
    const [delivery] = await untilStatus(integration, 'delivered')
    expect(sent.location).toBe(`${one(delivery.id)}?notice=test-sent`)
    const { text } = await visitor.get(one(delivery.id))
    expect(text).toContain('thanks &lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&quot;test&quot;: true')
    expect(text).toContain(`webhook-id: ${delivery.event_id}`)
    expect(text).toContain(`X-REG-Timestamp: ${webhook.headers['x-reg-timestamp']}`)
    const again = await visitor.send(one(delivery.id), one(delivery.id, '/redeliver'), {})
    expect(again.status).toBe(303)
    const [, second] = await receiver.arrival(2)
    expect(second?.event).toEqual(webhook.event)
    await untilStatus(integration, 'delivered', 2)
    expect(await listed(visitor, at('/deliveries'))).toHaveLength(2)
  })
})

describe('a failed attempt or delivery', () => {
  it('shows each attempt with its response, and can be retried immediately', async () => {
    await using integration = await newIntegration()
    const { visitor, receiver, at, one } = integration
    receiver.respond((n) => (n === 1 ? { status: 503, body: 'try "later"' } : 200))
    await visitor.send(at(), at('/test'), { type: 'trust.updated' })
    await receiver.arrival(1)
    const [delivery] = await untilStatus(integration, 'pending')
    const page = async () => (await visitor.get(one(delivery.id))).text
    expect(await page()).toContain('data-live="changing"')
    await expect.poll(page, { timeout: 15_000 }).toContain('✗ 503')
    expect(await page()).toContain('try &quot;later&quot;')
    const retried = await visitor.send(one(delivery.id), one(delivery.id, '/retry-now'), {})
    expect(retried).toMatchObject({ status: 303, location: `${one(delivery.id)}?notice=delivery-retried` })
    await receiver.arrival(2)
    await untilStatus(integration, 'delivered')
    const text = await page()
    expect(text).toContain('✗ 503')
    expect(text).toContain('✓ 200')
    expect(text).not.toContain('/retry-now')
    expect(text).toContain('data-live="done"')
  })

  it('is failing everywhere after its first failed attempt, also if the URL has responded before', async () => {
    await using integration = await newIntegration()
    const { visitor, receiver, at } = integration
    receiver.respond((n) => (n === 1 ? 200 : 503))
    await visitor.send(at(), at('/test'), { type: 'trust.updated' })
    await untilStatus(integration, 'delivered')
    expect((await visitor.get('/console')).text).not.toContain('Failing webhooks')
    await visitor.send(at(), at('/test'), { type: 'trust.updated' })
    await receiver.arrival(2)
    const list = async () => (await visitor.get(at('/deliveries'))).text
    await expect.poll(list, { timeout: 15_000 }).toContain('✗ 503')
    expect(await list()).toMatch(
      /Failing<\/span>.*✗ 503.*>test<.*Retry now.*Delivered<\/span>.*✓ 200.*Resend/s,
    )
    expect(await list()).toContain('2 attempts in 24 hours, 1 failed')
    expect(await list()).toContain('data-live="changing"')
    for (const path of ['/console/platforms', at()])
      expect((await visitor.get(path)).text, path).toContain('Webhook failing')
    const overview = await visitor.get('/console')
    expect(overview.text).toContain('Failing webhooks')
    expect(overview.text).not.toContain('no failing webhooks')
  })

  it('cannot be redelivered while another delivery of the event is pending', async () => {
    await using integration = await newIntegration()
    const { visitor, platform, one } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    const hiddenFields = await visitor.fieldsOf(one(old.id), one(old.id, '/redeliver'))
    await fillDeliveries(h, platform.slug, [{ status: 'pending', at: ago(-HOUR_MS), event_id: old.event_id }])
    const rejected = await visitor.post(one(old.id, '/redeliver'), hiddenFields)
    expect(rejected.status).toBe(409)
    expect(rejected.text).toContain('still pending')
    expect(await all(integration)).toHaveLength(2)
  })
})

describe('the list of deliveries', () => {
  it('is filtered by status, event type, agent and day in the query', async () => {
    await using integration = await newIntegration()
    const { visitor, operator, platform, at } = integration
    const [failed, made, old] = await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(HOUR_MS) },
      { status: 'delivered', type: 'trust.updated', at: ago(2 * HOUR_MS) },
      { status: 'skipped', at: ago(72 * HOUR_MS) },
    ])
    const { reg } = await newAgent(operator, { platform_slug: platform.slug })
    await untilStatus(integration, 'delivered', 2)
    const registered = (await all(integration)).find(({ type }) => type === 'agent.registered')
    const of = (query: string) => listed(visitor, at(`/deliveries?${query}`))
    expect(await of('')).toEqual([registered.id, failed.id, made.id, old.id])
    expect(await of('status=failed&type=&reg=&from=')).toEqual([failed.id])
    expect(await of('type=trust.updated')).toEqual([made.id])
    expect(await of(`reg=${reg}`)).toEqual([registered.id])
    expect(
      await of(
        `from=${ago(24 * HOUR_MS)
          .toISOString()
          .slice(0, 10)}`,
      ),
    ).not.toContain(old.id)
    expect(await of('per_page=2&page=2')).toEqual([made.id, old.id])
    const { text } = await visitor.get(at('/deliveries?per_page=2&status=&type='))
    expect(text).toMatch(/1–2 of 4/)
    expect((await visitor.get(at('/deliveries?status=pending'))).text).toContain('No delivery matches')
  })

  it('shows an invalid filter at its field', async () => {
    await using integration = await newIntegration()
    const { visitor, at } = integration
    expect((await visitor.get(at('/deliveries'))).text).toContain('No deliveries yet')
    const { status, text } = await visitor.get(at('/deliveries?reg=%3Cscript%3E&from=yesterday'))
    expect(status).toBe(400)
    expect(text).toContain('value="&lt;script&gt;"')
    expect(problemAt(text, 'reg')).toMatch(/^must have the form/)
    expect(problemAt(text, 'from')).toMatch(/^must be an ISO 8601 date or time/)
  })
})

it('recovery redelivers what has failed since a time in UTC, and shows the number', async () => {
  await using integration = await newIntegration()
  const { visitor, receiver, platform, at } = integration
  const path = at('/recover')
  for (const [since = '', message = ''] of [
    ['2020-01-01T00:00', 'must be at most 14 days in the past'],
    ['', 'must be an ISO 8601 date or time'],
  ]) {
    const { status, text } = await visitor.send(path, path, { since })
    expect([status, problemAt(text, 'since')]).toEqual([400, expect.stringContaining(message)])
  }
  const [, after] = await fillDeliveries(h, platform.slug, [
    { status: 'skipped', at: ago(30 * HOUR_MS) },
    { status: 'skipped', at: ago(20 * HOUR_MS) },
  ])
  const since = ago(24 * HOUR_MS)
    .toISOString()
    .slice(0, 16)
  const done = await visitor.send(path, path, { since })
  expect(done).toMatchObject({ status: 303, location: `${at('/deliveries')}?notice=recovered&n=1` })
  expect((await visitor.get(done.location ?? '')).text).toContain('Events redelivered: 1.')
  const [webhook] = await receiver.arrival(1)
  expect(webhook?.event.id).toBe(after.event_id)
  await untilStatus(integration, 'delivered')
})

describe('a webhook', () => {
  it('that is disabled shows the reason, offers nothing to send, and can be enabled', async () => {
    await using integration = await newIntegration()
    const { visitor, platform, at, one } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    await disable(h, platform)
    await sql(
      `update platforms set consecutive_failures = 12, failing_since = '2026-11-20T08:05:00Z' where slug = $1`,
      [platform.slug],
    )
    const { text } = await visitor.get(at())
    expect(text).toContain('12 deliveries in a row have failed since 2026-11-20 08:05 UTC')
    expect(text).not.toContain(`action="${at('/test')}"`)
    expect((await visitor.get(one(old.id))).text).toContain('The webhook is disabled: nothing can be sent')
    const enabled = await visitor.send(at(), at('/enable'), {})
    expect(enabled).toMatchObject({ status: 303, location: `${at()}?notice=webhook-enabled` })
    const [row] = await sql('select webhook_status, consecutive_failures from platforms where slug = $1', [
      platform.slug,
    ])
    expect(row).toEqual({ webhook_status: 'enabled', consecutive_failures: 0 })
  })

  it('that is paused shows the reason, and can be sent a test event', async () => {
    await using integration = await newIntegration()
    const { visitor, platform, at } = integration
    await sql(
      `update operators set unresponsive_day = (now() at time zone 'utc')::date, unresponsive_attempts = 180
       where id = (select operator_id from platforms where slug = $1)`,
      [platform.slug],
    )
    const { text } = await visitor.get(at())
    expect(text).toContain('Events are skipped until 00:00 UTC')
    expect(text).toContain(`action="${at('/test')}"`)
  })
})
