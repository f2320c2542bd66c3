import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { givenQStash } from '../../local/settings.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { LEASE_MS } from '../../src/webhooks/schedule.ts'
import { type Integration, newIntegration } from '../support/deliveries.ts'
import { type Body, ownStack } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import { expectSigned } from '../support/signature.ts'

// With QSTASH_URL and its keys in the environment, this file uses that QStash. Tests that need a fast clock or faults
// on demand are then skipped.
const given = givenQStash() !== null
const TIME_SCALE = given ? 1 : 0.001 // the stand-in waits milliseconds for seconds

const own = await ownStack({ timeScale: TIME_SCALE })
const { qstash } = own
afterEach(() => (given ? undefined : qstash.clearFaults()))
afterAll(own.stop)

const newAgent = async (platform: Body) =>
  own.newAgent(await own.newOperator(), { platform_slug: platform.slug })

async function delivery(platform: Body): Promise<Body> {
  const [row] = await own.sql(
    `select d.id, d.status, d.attempts::integer, d.published_at is not null as published,
       (select coalesce(json_agg(json_build_object('number', a.number, 'status', a.response_status, 'error', a.error)
         order by a.number), '[]') from webhook_attempts a where a.delivery_id = d.id) as log
     from webhook_deliveries d join platforms p on p.id = d.platform_id where p.slug = $1`,
    [platform.slug],
  )
  return row
}

/** Resolves when QStash has no messages left, so that nothing more can arrive. */
const idle = () => vi.waitFor(async () => expect(await qstash.messages()).toEqual([]), SOON)
const settled = (platform: Body, status: string) =>
  vi.waitFor(async () => expect(await delivery(platform)).toMatchObject({ status }), SOON)

it('delivers at once, and retries a minute after the start of a failed attempt', async () => {
  await using integration = await newIntegration(own)
  const { platform, receiver } = integration
  receiver.respond((n) => (n === 1 ? 500 : 200))
  await newAgent(platform)
  const [first, second] = await receiver.arrival(2, undefined, 60_000 * TIME_SCALE + 40_000)
  if (!first || !second) throw new Error('unreachable')
  for (const webhook of [first, second]) expectSigned(webhook, platform.webhook_secret, webhook.at)
  expect(second.at.getTime() - first.at.getTime()).toBeGreaterThanOrEqual(59_000 * TIME_SCALE)
  await settled(platform, 'delivered')
  expect(await delivery(platform)).toMatchObject({ attempts: 2, log: [{ status: 500 }, { status: 200 }] })
})

describe.skipIf(given)('deliveries through a QStash with faults and a fast clock', () => {
  it('are published by the sweep after QStash lost them, but not while flow control may delay them', async () => {
    await using integration = await newIntegration(own)
    const { platform, receiver } = integration
    await qstash.setFaults({ loseMessage: 1 })
    await newAgent(platform)
    await vi.waitFor(async () => expect(await delivery(platform)).toMatchObject({ published: true }), SOON)
    await own.cron(new Date(Date.now() + 5 * MINUTE_MS))
    await idle()
    expect(receiver.received).toHaveLength(0)
    await own.cron(new Date(Date.now() + 30 * MINUTE_MS))
    await receiver.arrival(1)
    await settled(platform, 'delivered')
  })

  it('are sent once when many sweeps run concurrently', async () => {
    await using integration = await newIntegration(own)
    const { platform, receiver } = integration
    await qstash.setFaults({ rejectPublish: 1 })
    await newAgent(platform)
    await vi.waitFor(async () => expect((await delivery(platform)).published).toBe(false), SOON)
    const later = new Date(Date.now() + MINUTE_MS)
    await Promise.all(Array.from({ length: 10 }, () => own.cron(later)))
    await settled(platform, 'delivered')
    await idle()
    expect(receiver.received).toHaveLength(1)
  })

  it.each([
    ['with the next signing key', { signWithNextKey: true }],
    ['when repeated, after one with a signature over another body', { wrongBodyHash: 1 }],
  ])('are accepted %s', async (_, faults) => {
    await using integration = await newIntegration(own)
    const { platform, receiver } = integration
    await qstash.setFaults(faults)
    await newAgent(platform)
    await settled(platform, 'delivered')
    expect(receiver.received).toHaveLength(1)
  })
})

describe('slow receivers', () => {
  const PARALLEL = 10
  const EVENTS = 25
  const INCIDENTS = { event_types: ['incident.created'] }

  /** Incidents of agents of the platform's operator, because those of others have a limit per minute. */
  async function reportIncidents(
    { operator, platform: { slug } }: Integration,
    count: number,
  ): Promise<void> {
    const agents: Body[] = []
    // One after the other, as they would wait for the operator's row: all at once can exceed the deadline on a busy machine.
    for (let n = 0; n < count; n++) agents.push(await own.newAgent(operator, { platform_slug: slug }))
    const { key } = await own.newKey(operator)
    const events = agents.map(({ reg }) => ({ reg, event_type: 'incident' }))
    await own.reportBatch(key, events)
  }

  it('delay only their own deliveries, and have 30 seconds including the body', async () => {
    await using slow = await newIntegration(own, INCIDENTS)
    await using endless = await newIntegration(own, INCIDENTS)
    await using quick = await newIntegration(own, INCIDENTS)
    slow.receiver.respond('hang')
    endless.receiver.respond((n) => (n === 1 ? 'endless' : 200))
    await reportIncidents(slow, EVENTS)
    await slow.receiver.arrival(PARALLEL)
    await reportIncidents(endless, 1)
    expect(slow.receiver.received).toHaveLength(PARALLEL)
    await reportIncidents(quick, EVENTS)
    await quick.receiver.arrival(EVENTS)
    expect(slow.receiver.received.length).toBeLessThan(EVENTS)
    expect(new Set(quick.receiver.received.map(({ event }) => event.id)).size).toBe(EVENTS)
    expect(quick.receiver.received).toHaveLength(EVENTS)

    await endless.receiver.arrival(2, undefined, 60_000 * TIME_SCALE + 60_000)
    const { log } = await delivery(endless.platform)
    expect(log[0]).toMatchObject({ number: 1, status: 200, error: 'timeout' })
    const hung = await vi.waitFor(async () => {
      const [attempt] = await own.sql(
        `select a.response_status, a.error, a.duration_ms from webhook_attempts a
         join webhook_deliveries d on d.id = a.delivery_id join platforms p on p.id = d.platform_id
         where p.slug = $1 and a.number = 1 and a.duration_ms is not null`,
        [slow.platform.slug],
      )
      expect(attempt).toMatchObject({ response_status: null, error: 'timeout' })
      return attempt
    }, SOON)
    expect(hung.duration_ms).toBeGreaterThanOrEqual(29_900)
    expect(hung.duration_ms).toBeLessThan(LEASE_MS)
    if (given) return
    await own.qstash.clear()
  })
})
