import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { givenQStash } from '../../local/settings.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { LEASE_MS } from '../../src/webhooks/schedule.ts'
import { attemptsOf, deliveriesOf, type Integration, newIntegration, settled } from '../support/deliveries.ts'
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

const expectPublished = async (platform: Body, published_at: unknown) =>
  expect(await deliveriesOf(own, platform)).toMatchObject([
    { status: 'pending', published_at, publish_count: published_at === null ? 0 : 1 },
  ])

/** Resolves when QStash has no messages left, so that nothing more can arrive. */
const idle = () => vi.waitFor(async () => expect(await qstash.messages()).toEqual([]), SOON)

it('delivers at once, and retries a minute after the start of a failed attempt', async () => {
  await using integration = await newIntegration(own)
  const { platform, receiver } = integration
  receiver.respond((n) => (n === 1 ? 500 : 200))
  await newAgent(platform)
  const [first, second] = await receiver.arrival(2, undefined, 60_000 * TIME_SCALE + 40_000)
  if (!first || !second) throw new Error('unreachable')
  for (const webhook of [first, second]) expectSigned(webhook, platform.webhook_secret, webhook.at)
  expect(second.at.getTime() - first.at.getTime()).toBeGreaterThanOrEqual(59_000 * TIME_SCALE)
  expect(await settled(own, integration, 'delivered')).toMatchObject([{ attempts: 2 }])
  const attempts = [{ response_status: 500 }, { response_status: 200 }]
  expect(await attemptsOf(own, platform)).toMatchObject(attempts)
})

describe.skipIf(given)('deliveries through a QStash with faults and a fast clock', () => {
  it('are published by the sweep after QStash lost them, but not while flow control may delay them', async () => {
    await using integration = await newIntegration(own)
    const { platform, receiver } = integration
    await qstash.setFaults({ loseMessage: 1 })
    await newAgent(platform)
    await vi.waitFor(() => expectPublished(platform, expect.any(Date)), SOON)
    await own.cron(new Date(Date.now() + 5 * MINUTE_MS))
    await idle()
    expect(receiver.received).toHaveLength(0)
    await own.cron(new Date(Date.now() + 30 * MINUTE_MS))
    await receiver.arrival(1)
    await settled(own, integration, 'delivered')
  })

  it('are sent once when many sweeps run concurrently', async () => {
    await using integration = await newIntegration(own)
    const { platform, receiver } = integration
    await qstash.setFaults({ rejectPublish: 1 })
    await newAgent(platform)
    await vi.waitFor(() => expectPublished(platform, null), SOON)
    const [{ created_at }] = await deliveriesOf(own, platform)
    const after = (ms: number) => new Date(created_at.getTime() + ms)
    await own.cron(after(30_000))
    await expectPublished(platform, null)
    const later = after(30_001)
    await Promise.all(Array.from({ length: 10 }, () => own.cron(later)))
    await settled(own, integration, 'delivered')
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
    await settled(own, integration, 'delivered')
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
    const [first] = await attemptsOf(own, endless.platform)
    expect(first).toMatchObject({ number: 1, response_status: 200, error: 'timeout' })
    const hung = await vi.waitFor(async () => {
      const attempt = (await attemptsOf(own, slow.platform)).find(({ duration_ms }) => duration_ms !== null)
      expect(attempt).toMatchObject({ response_status: null, error: 'timeout' })
      return attempt as Body
    }, SOON)
    expect(hung.duration_ms).toBeGreaterThanOrEqual(29_900)
    expect(hung.duration_ms).toBeLessThan(LEASE_MS)
    if (given) return
    await own.qstash.clear()
  })
})
