import { DAY_MS, MINUTE_MS } from '../../../src/lib/time.ts'
import { newIntegration } from '../../support/deliveries.ts'
import type { Harness } from '../../support/harness.ts'
import { type Meter, QUIET_AFTER_KEYS_MS } from './meter.ts'
import { type Line, perCall, run } from './routes.ts'

const IDLE_MINUTES = 20
const INCIDENTS = 8 // in vain: fewer attempts than disable the webhook
const ATTEMPTS = 5
const SETTLED_RUNS_MAX = 40

/** Reports of incidents with their webhooks: delivered at the first attempt, and rejected five times. */
export async function measureWebhooks(h: Harness, meter: Meter): Promise<Line[]> {
  const delivered = await measureDelivery(h, meter, 200)
  const failed = await measureDelivery(h, meter, 500)
  return [
    { name: 'an incident report, webhook delivered', usage: delivered },
    { name: 'an incident report, webhook rejected five times', usage: failed },
  ]
}

async function measureDelivery(h: Harness, meter: Meter, status: number) {
  const { operator, platform, receiver, stop } = await newIntegration(h)
  receiver.respond(status)
  const [agent, { key }] = await Promise.all([
    h.newAgent(operator, { platform_slug: platform.slug }),
    h.newKey(operator),
  ])
  const attempts = status === 200 ? 1 : ATTEMPTS
  await h.qstash.runUntilIdle({ atLeast: attempts }) // of the registration
  const incident = () =>
    h.api('POST', '/activity/report', { token: key, body: { reg: agent.reg, event_type: 'incident' } })
  const usage = await meter.measure(async () => {
    const reported = await run(Array(INCIDENTS).fill(incident))
    const { delivered } = await h.qstash.runUntilIdle({ atLeast: INCIDENTS * attempts })
    return { requests: reported.requests + delivered, bytes: reported.bytes }
  }, QUIET_AFTER_KEYS_MS)
  await stop()
  return perCall(usage, INCIDENTS)
}

/** The jobs of an idle minute, and those of a new day, per agent. */
export async function measureJobs(
  h: Harness,
  meter: Meter,
  agents: number,
): Promise<[idle: Line, day: Line]> {
  const began = Date.now()
  const minute = (n: number) => new Date(began + n * MINUTE_MS)
  await settle(h)
  const idle = await meter.measure(async () => {
    for (let n = 1; n <= IDLE_MINUTES; n++) await h.cron(minute(n))
    return { requests: IDLE_MINUTES, bytes: 0 }
  })
  const day = await meter.measure(async () => {
    await h.cron(new Date(began + DAY_MS))
    return { requests: 1, bytes: 0 }
  })
  return [
    { name: 'the jobs of a minute without requests', usage: perCall(idle, IDLE_MINUTES) },
    { name: 'the daily jobs for one agent: score, leaves of the log', usage: perCall(day, agents) },
  ]
}

/** Runs the jobs until everything is in the log. */
export async function settle(h: Harness): Promise<void> {
  let before = ''
  for (let n = 0; n < SETTLED_RUNS_MAX; n++) {
    await h.cron()
    const [state] = await h.sql('select max(size)::text as size from tlog_heads')
    if (state.size === before) return
    before = state.size
  }
  throw new Error('the log is not settled')
}
