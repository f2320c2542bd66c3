import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, utcDay } from '../../src/lib/time.ts'
import { openConsole, problemAt } from '../support/console.ts'
import * as deliveries from '../support/deliveries.ts'
import { ago, deliveriesOf, disable, fillDeliveries, settled } from '../support/deliveries.ts'
import { shared } from '../support/harness.ts'
import { textOf } from '../support/page.ts'
import { expectSigned } from '../support/signature.ts'

const h = shared()

/** A platform with a receiver, whose operator is in the console. */
async function newIntegration() {
  const made = await deliveries.newIntegration(h)
  const visitor = await openConsole(h, made.operator.email)
  const at = (below = '') => `/console/platforms/${made.platform.slug}${below}`
  return {
    ...made,
    visitor,
    at,
    one: (id: string, below = '') => at(`/deliveries/${id}${below}`),
    sendTest: (type: string) => visitor.send(at(), at('/test'), { type }),
    untilStatus: (status: string, count = 1) => settled(h, made, status, count),
  }
}

it('a test event arrives signed, is shown with its payload and response, and can be redelivered', async () => {
  await using integration = await newIntegration()
  const { visitor, receiver, platform, at, one, sendTest, untilStatus } = integration
  receiver.respond({ status: 200, body: 'thanks <script>alert(1)</script>' })
  expect((await sendTest('<b>')).status).toBe(400)
  const sent = await sendTest('incident.created')
  expect(sent.status).toBe(303)
  const [webhook] = await receiver.arrival(1, 'incident.created')
  if (!webhook) throw new Error('unreachable')
  expectSigned(webhook, platform.webhook_secret)
  const [delivery] = await untilStatus('delivered')
  expect(sent).toMatchObject({ location: one(delivery.id), notice: 'test-sent.0' })
  const { text } = await visitor.get(one(delivery.id))
  for (const shown of ['thanks &lt;script&gt;alert(1)&lt;/script&gt;', '&quot;test&quot;: true'])
    expect(text).toContain(shown)
  expect(text).not.toContain('<script>alert')
  const again = await visitor.send(one(delivery.id), one(delivery.id, '/redeliver'), {})
  expect(again.status).toBe(303)
  const [, second] = await receiver.arrival(2)
  expect(second?.event).toEqual(webhook.event)
  for (const page of ['', '/deliveries'])
    expect((await visitor.get(at(page))).text.match(/\/deliveries\/[0-9a-f-]{36}"/g)).toHaveLength(2)
})

it('a failed attempt is shown with its response, and can be retried immediately', async () => {
  await using integration = await newIntegration()
  const { visitor, receiver, at, one, sendTest, untilStatus } = integration
  receiver.respond((n) => (n === 1 ? { status: 503, body: 'try "later"' } : 200))
  await sendTest('trust.updated')
  await receiver.arrival(1)
  const [delivery] = await untilStatus('pending')
  const page = async () => (await visitor.get(one(delivery.id))).text
  const list = async () => (await visitor.get(at('/deliveries'))).text
  await expect.poll(page, { timeout: 15_000 }).toContain('✗ 503')
  for (const read of [page, list, async () => (await visitor.get(at())).text])
    expect(await read()).toMatch(/data-live="changing".*Show the current state/s)
  expect(await page()).toContain('try &quot;later&quot;')
  expect(await list()).toMatch(/Failing<\/span>.*✗ 503.*>test<.*Retry now/s)
  expect(await list()).toMatch(/1 attempts? in 24 hours, 1 failed/)
  expect(await list()).toContain('<td></td></tr></thead>') // above the buttons
  for (const other of ['href="/agents/', 'Clear filters']) expect(await list()).not.toContain(other)
  const retried = await visitor.send(one(delivery.id), one(delivery.id, '/retry-now'), {})
  expect(retried).toMatchObject({ status: 303, location: one(delivery.id), notice: 'delivery-retried.0' })
  await receiver.arrival(2)
  await untilStatus('delivered')
  expect(await page()).toMatch(/✗ 503.*✓ 200|✓ 200.*✗ 503/s)
  expect(await page()).not.toContain('/retry-now')
  expect(await page()).toContain('data-live="done"')
  expect(await page()).not.toContain('Show the current state')
  expect(await list()).toMatch(/Delivered<\/span>.*✓ 200.*Redeliver/s)
})

it('the list of deliveries is filtered by status, event type, agent and day in the query', async () => {
  await using integration = await newIntegration()
  const { visitor, operator, platform, at, one, untilStatus } = integration
  expect((await visitor.get(at('/deliveries'))).text).toContain('No deliveries yet')
  const [failed, made, old] = await fillDeliveries(h, platform.slug, [
    { status: 'failed', at: ago(HOUR_MS) },
    { status: 'delivered', type: 'trust.updated', at: ago(2 * HOUR_MS) },
    { status: 'skipped', at: ago(3 * DAY_MS) },
  ])
  const { reg } = await h.newAgent(operator, { platform_slug: platform.slug })
  await untilStatus('delivered', 2)
  const all = await deliveriesOf(h, platform)
  const { id: registered } = all.find(({ type }) => type === 'agent.registered') ?? {}
  const of = async (query: string) => {
    const { text } = await visitor.get(at(`/deliveries?${query}`))
    return [...text.matchAll(/\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id]) => id)
  }
  expect(await of('')).toEqual([registered, failed.id, made.id, old.id])
  expect(await of('status=failed&type=&reg=&from=')).toEqual([failed.id])
  expect(await of('type=trust.updated')).toEqual([made.id])
  expect(await of(`reg=${reg}`)).toEqual([registered])
  expect((await visitor.get(at(`/deliveries?reg=${reg}`))).text).toContain(`<a href="/agents/${reg}">`)
  expect(await of(`from=${utcDay(ago(DAY_MS))}`)).not.toContain(old.id)
  expect(await of('per_page=2&page=2')).toEqual([made.id, old.id])
  expect((await visitor.get(at('/deliveries?status=pending'))).text).toContain('No delivery matches')
  for (const attempts of [0, 1]) {
    await fillDeliveries(h, platform.slug, [{ status: 'pending', at: ago(-HOUR_MS), attempts }])
    const [own = '', overview = ''] = await Promise.all(
      [at(), '/console'].map(async (page) => (await visitor.get(page)).text),
    )
    const isRetried = attempts === 1
    expect([attempts, own.includes('is being retried')]).toEqual([attempts, isRetried])
    expect([attempts, overview.includes('Failing webhooks')]).toEqual([attempts, isRetried])
  }
  const [due] = await fillDeliveries(h, platform.slug, [{ status: 'pending', at: ago(1) }])
  const shown = (await visitor.get(one(due.id))).text
  expect(shown).toMatch(/>Pending<.*Next attempt<\/dt>\s*<dd>now</s)
  expect(shown).toContain('None yet.')
  expect((await visitor.get(at('/deliveries'))).text).toContain('none yet')
  expect((await visitor.get(at())).text.match(/\/deliveries\/[0-9a-f-]{36}"/g)).toHaveLength(5)
  expect((await visitor.get(one(old.id))).text).toContain('>None.<')
  const { status, text } = await visitor.get(at('/deliveries?reg=%3Cscript%3E&from=yesterday'))
  expect(status).toBe(400)
  expect(text).toContain('value="&lt;script&gt;"')
  expect(problemAt(text, 'reg')).toMatch(/^must have the form/)
  expect(problemAt(text, 'from')).toMatch(/^must be an ISO 8601 date or time/)
  const unknown = await visitor.get(at('/deliveries?page=0'))
  expect(unknown.status).toBe(400)
  expect(unknown.text).toMatch(/role="alert"><p>Page: at least 1/)
})

it('each attempt is shown with its outcome, or as in progress, and those of a day are summed up', async () => {
  await using integration = await newIntegration()
  const { visitor, platform, at, one } = integration
  const [delivery] = await fillDeliveries(h, platform.slug, [
    { status: 'failed', at: ago(HOUR_MS) }, // its last attempt is in the future
    { status: 'failed', at: ago(30 * HOUR_MS) },
  ])
  await h.sql(
    `update webhook_attempts a set response_status = t.status, error = t.error, duration_ms = t.ms
     from (values (1, 200, 'response too slow', 100), (2, 299, null, 200), (3, 300, null, 1000), (4, null, null, null))
       as t (number, status, error, ms)
     where a.delivery_id = $1 and a.number = t.number`,
    [delivery.id],
  )
  const { text } = await visitor.get(one(delivery.id))
  const headings = [...text.matchAll(/<h3>(.*?)<\/h3>/gs)].map(([, inside = '']) => textOf(inside))
  expect(headings).toEqual([
    'Attempt 1: ✗ 200, response too slow',
    'Attempt 2: ✓ 299',
    'Attempt 3: ✗ 300',
    'Attempt 4: in progress',
    'Attempt 5: ✗ 500',
  ])
  expect(text.match(/[\d,]+ ms</g)).toEqual(['100 ms<', '200 ms<', '1,000 ms<', '5 ms<'])
  expect(text.match(/No response body/g)).toHaveLength(4)
  const summary = textOf((await visitor.get(at('/deliveries'))).text)
  expect(summary).toContain('Succeeded 1 Failed 2 Median 200 ms 95% within 920 ms')
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
  const [, yesterday = ''] = /name="since"[^>]* value="([^"]+)"/.exec((await visitor.get(path)).text) ?? []
  const done = await visitor.send(path, path, { since: yesterday })
  expect(done).toMatchObject({ status: 303, location: at('/deliveries'), notice: 'recovered.1' })
  expect((await visitor.get(done.location ?? '')).text).toContain('Events redelivered: 1.')
  const [webhook] = await receiver.arrival(1)
  expect(webhook?.event.id).toBe(after.event_id)
})

describe('a webhook', () => {
  it('that sends nothing shows the reason, offers nothing to send, and can be enabled if it is disabled', async () => {
    await using integration = await newIntegration()
    const { visitor, platform, at, one } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    await disable(h, platform)
    const { text } = await visitor.get(at())
    expect(text).toContain('10 deliveries in a row have failed since 2026-11-20 08:05 UTC')
    expect(text).not.toContain(`action="${at('/test')}"`)
    for (const other of ['/redeliver"', '<td></td></tr></thead>']) expect(text).not.toContain(other)
    expect(text).toContain('All deliveries')
    const reason = async () => (await visitor.get(one(old.id))).text
    expect(await reason()).toContain('The webhook is disabled: nothing can be sent')
    const enabled = await visitor.send(at(), at('/enable'), {})
    expect(enabled).toMatchObject({ status: 303, location: at(), notice: 'webhook-enabled.0' })
    const state = 'select webhook_status, consecutive_failures from platforms where slug = $1'
    expect(await h.sql(state, [platform.slug])).toEqual([
      { webhook_status: 'enabled', consecutive_failures: 0 },
    ])
    await integration.ask('PATCH', '', { body: { webhook_url: null } })
    expect(await reason()).toContain('There is no webhook URL: nothing can be sent')
    await integration.ask('DELETE', '')
    expect(await reason()).toContain('The platform is retired: nothing more is sent to it')
  })

  it('that is paused shows the reason, and can be sent a test event', async () => {
    await using integration = await newIntegration()
    const { visitor, operator, at } = integration
    await h.sql(
      `update operators set unresponsive_day = (now() at time zone 'utc')::date, unresponsive_attempts = 180
       where id = $1`,
      [operator.id],
    )
    const { text } = await visitor.get(at())
    expect(text).toContain('Events are skipped until 00:00 UTC')
    expect(text).toContain('Webhook paused')
    expect(text).toContain(`action="${at('/test')}"`)
  })
})
