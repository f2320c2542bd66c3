import { expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import { MIDNIGHT, NOON, plus } from '../support/day.ts'
import { logOf } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const h = shared()
const { api, sql, newAgent, newReporter, newKey, report } = h

/** A mix of events of all kinds. */
const MIX = [
  { event_type: 'task_completed', metadata: { response_ms: 900, quality: 0.9 } },
  { event_type: 'task_completed', metadata: { response_ms: 4_000 } },
  { event_type: 'task_completed' },
  { event_type: 'task_failed', severity: 'error' },
  { event_type: 'incident', severity: 'critical', metadata: { title: 'it burns' } },
  { event_type: 'startup' },
  { event_type: 'shutdown', severity: 'error' },
  { event_type: 'error', severity: 'warning' },
]

// That the log has no gaps and no decreasing times, and that rollups and counters are its sums, is checked at the end of
// the run.
it('stores each of 160 concurrent events around midnight once', async () => {
  const { operator, key, reg } = await newReporter({ now: NOON })
  const more = await Promise.all([1, 2, 3].map(() => newKey(operator, undefined, {}, NOON)))
  const keys = [key, ...more.map((made) => made.key)]
  const times = [-500, 500, HOUR_MS].map((ms) => plus(ms, MIDNIGHT))
  const sent = Array.from({ length: 160 }, (_, n) =>
    report(keys[n % 4], reg, MIX[n % MIX.length], times[n % 3]),
  )
  const stored = await Promise.all(sent)
  const log = await logOf(h, reg)
  expect(log.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort())
})

it('does not wait for the batch of a stranger about the same agents', async () => {
  const { operator, agent, key } = await newReporter()
  const regs = [agent, await newAgent(operator)].map(({ reg }) => reg as string)
  const rejected = JSON.stringify(regs.map((reg) => ({ reg, log: [] })))
  const stranger = `select append_events($1, null, 'operator', 1, 1, 1, now(), true, $2::jsonb)`
  const held = await holdOpen(h, stranger, [(await h.newOperator()).id, rejected])
  await h.reportBatch(
    key,
    regs.map((reg) => ({ reg, event_type: 'x' })),
  )
  await held.commit()
})

it('locks the agents of a batch in the order of their registration', async () => {
  const { operator, agent: first, key } = await newReporter()
  const second = await newAgent(operator)
  const held = await holdOpen(h, 'select from agent_stats where agent_id = $1 for no key update', [first.id])
  const events = [second, first].map(({ reg }) => ({ reg, event_type: 'x' }))
  const waiting = api('POST', '/activity/report/batch', { token: key, body: { events } })
  await held.isWaitedFor()
  await sql('select from agent_stats where agent_id = $1 for no key update nowait', [second.id])
  await held.commit()
  expect((await waiting).status).toBe(201)
})
