import { describe, expect, test } from 'vitest'
import type { LifecycleState } from '../../src/db/enums.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import {
  type Lifecycle,
  lifecycleOf,
  lifecycleStep,
  MAX_INTERVAL_SECONDS,
} from '../../src/trust/lifecycle.ts'
import { eventDelta, type RollupCounts, responseMs, sumDeltas } from '../../src/trust/rollup.ts'
import { seeded } from '../vectors/rollups.ts'

function adds(event_type: string, metadata: Record<string, unknown> = {}, severity = 'info') {
  const delta = eventDelta({ event_type, severity, metadata })
  return Object.fromEntries(Object.entries(delta).filter(([, value]) => value !== 0))
}

describe('the counters of an event', () => {
  test('count each event, and each task by its outcome', () => {
    expect(adds('heartbeat')).toEqual({ events: 1 })
    expect(adds('task_completed')).toEqual({ events: 1, completed: 1 })
    expect(adds('task_failed', {}, 'error')).toEqual({ events: 1, failed: 1 })
  })

  test('have every field', () => {
    expect(Object.keys(eventDelta({ event_type: 'x', severity: 'info', metadata: {} }))).toEqual(
      ROLLUP_FIELDS,
    )
  })

  test.each([
    [{ quality: 0.95 }, 950],
    [{ quality: 0 }, 0],
    [{ quality: -0 }, 0],
    [{ quality: 1 }, 1000],
    [{ quality: 0.0005 }, 1],
    [{ correct: true }, 1000],
    [{ correct: false }, 0],
    [{ quality: 0.4, correct: true }, 400],
    [{ quality: 1.2, correct: true }, 1000],
    [{ quality: '1', correct: false }, 0],
  ])('have for %j a grade of %i thousandths', (metadata, milli) => {
    expect(eventDelta({ event_type: 'task_completed', severity: 'info', metadata })).toMatchObject({
      graded_count: 1,
      graded_milli: milli,
    })
  })

  test.each([
    { quality: 1.001 },
    { quality: -0.1 },
    { quality: '0.9' },
    { quality: null },
    { quality: [1] },
    { quality: Number.NaN },
    { correct: 1 },
    { correct: 'true' },
    { response_ms: -1 },
    { response_ms: 86_400_001 },
    { response_ms: '1500' },
    { response_ms: { ms: 1 } },
    { response_ms: Number.POSITIVE_INFINITY },
    { response_ms: null },
  ])('ignore metadata of the wrong type or range: %j', (metadata) => {
    expect(adds('task_completed', metadata)).toEqual({ events: 1, completed: 1 })
  })

  test.each([
    [0, 0, { latency_satisfied: 1 }],
    [0.4, 0, { latency_satisfied: 1 }],
    [1500, 1500, { latency_satisfied: 1 }],
    [2000, 2000, { latency_satisfied: 1 }],
    [2000.4, 2000, { latency_tolerating: 1 }],
    [8000, 8000, { latency_tolerating: 1 }],
    [8000.5, 8001, {}],
    [86_400_000, 86_400_000, {}],
  ])('classify a response time of %f ms', (response_ms, ms, expected) => {
    const event = { event_type: 'task_completed', severity: 'info', metadata: { response_ms } }
    expect(adds('task_completed', { response_ms })).toEqual({
      events: 1,
      completed: 1,
      latency_count: 1,
      ...expected,
    })
    expect(responseMs(event)).toBe(ms)
  })

  test.each([{}, { response_ms: -1 }, { response_ms: 86_400_001 }, { response_ms: '1500' }])(
    'have a response time of 0 for %j',
    (metadata) => {
      expect(responseMs({ event_type: 'task_completed', severity: 'info', metadata })).toBe(0)
    },
  )

  test('ignore grades and response times of events that are not tasks', () => {
    expect(adds('incident', { quality: 1, correct: true, response_ms: 10 })).toEqual({
      events: 1,
      incidents_info: 1,
    })
  })

  test('ignore the grade and response time of a failed task', () => {
    const metadata = { quality: 1, response_ms: 10 }
    expect(adds('task_failed', metadata)).toEqual({ events: 1, failed: 1 })
    expect(responseMs({ event_type: 'task_failed', severity: 'info', metadata })).toBe(0)
  })

  test.each([
    ['incident', 'info', 'incidents_info'],
    ['incident', 'warning', 'incidents_warning'],
    ['incident', 'error', 'incidents_error'],
    ['incident', 'critical', 'incidents_critical'],
    ['error', 'info', null],
    ['error', 'warning', 'incidents_info'],
    ['error', 'error', 'incidents_warning'],
    ['error', 'critical', 'incidents_critical'],
    ['shutdown', 'error', null],
    ['shutdown', 'critical', 'incidents_critical'],
    ['heartbeat', 'critical', 'incidents_critical'],
    ['incident', 'toString', null],
  ])('count %s of severity %s in %s', (event_type, severity, field) => {
    expect(adds(event_type, {}, severity)).toEqual({ events: 1, ...(field && { [field]: 1 }) })
  })

  test('are added field by field, from zero, without changing the arguments', () => {
    const one = Object.freeze(
      eventDelta({
        event_type: 'task_completed',
        severity: 'critical',
        metadata: { quality: 0.5, response_ms: 3000 },
      }),
    )
    const thousand = sumDeltas(Array<RollupCounts>(1000).fill(one))
    for (const [field, value] of Object.entries(thousand))
      expect(value).toBe(1000 * one[field as keyof RollupCounts])
    expect(new Set(Object.values(sumDeltas([])))).toEqual(new Set([0]))
    expect(sumDeltas([one])).toEqual(one)
  })
})

const NOW = Date.parse('2026-06-30T12:00:00.000Z')
const started = { event_type: 'startup', severity: 'info' }
const stopped = { event_type: 'shutdown', severity: 'info' }
const warned = { event_type: 'shutdown', severity: 'warning' }
const crashed = { event_type: 'shutdown', severity: 'error' }
const burned = { event_type: 'shutdown', severity: 'critical' }
const worked = { event_type: 'task_completed', severity: 'info' }
const other = { event_type: 'task_failed', severity: 'error' }
const since = (state: LifecycleState, seconds: number): Lifecycle => ({
  state,
  sinceMs: NOW - seconds * 1000,
})

describe('the lifecycle after one event', () => {
  test.each([
    ['never seen', null, stopped, 'down', 0],
    ['never seen', null, crashed, 'failed', 0],
    ['up', since('up', 90), stopped, 'down', 0],
    ['up', since('up', 90), warned, 'down', 0],
    ['up', since('up', 90), crashed, 'failed', 0],
    ['up', since('up', 90), burned, 'failed', 0],
    ['failed', since('failed', 90), started, 'up', 90],
    ['failed', since('failed', 90), worked, 'up', 90],
    ['stopped as planned', since('down', 90), worked, 'up', 0],
    ['stopped as planned', since('down', 90), started, 'up', 0],
  ] as const)('%s: %o, %o results in %s with %i s of downtime', (_, stored, event, state, down_seconds) => {
    expect(lifecycleStep(stored, [event], NOW)).toEqual({ next: { state, sinceMs: NOW }, down_seconds })
  })

  test.each([
    [since('up', 90), started],
    [since('up', 90), worked],
    [null, started],
    [null, worked],
    [since('down', 90), crashed],
    [since('failed', 90), stopped],
    [since('up', 90), other],
    [null, other],
  ])('stays %o after %o', (stored, event) => {
    expect(lifecycleStep(stored, [event], NOW)).toEqual({ next: stored, down_seconds: 0 })
  })

  test('has downtime in whole seconds, never negative and at most 90 days', () => {
    const downFor = (ms: number) =>
      lifecycleStep({ state: 'failed', sinceMs: NOW - ms }, [started], NOW).down_seconds
    expect(downFor(1999)).toBe(1)
    expect(downFor(999)).toBe(0)
    expect(Object.is(downFor(-5000), 0)).toBe(true)
    expect(downFor(7_776_000_000)).toBe(MAX_INTERVAL_SECONDS)
    expect(downFor(400 * 86_400_000)).toBe(7_776_000)
  })
})

describe('the lifecycle after a batch', () => {
  test.each([
    ['a restart', since('up', 60), [stopped, started], 'up', 0],
    [
      'the first of several shutdowns decides that it was a crash',
      since('up', 60),
      [crashed, stopped],
      'failed',
      0,
    ],
    ['a planned stop stays planned when it is repeated', since('up', 60), [stopped, burned], 'down', 0],
    [
      'only the shutdowns after the last startup count',
      since('up', 60),
      [crashed, started, stopped, burned],
      'down',
      0,
    ],
    ['a startup and another crash', since('failed', 60), [started, crashed], 'failed', 60],
    ['a repeated shutdown before the startup', since('failed', 60), [stopped, started], 'up', 60],
    ['planned downtime is not counted', since('down', 60), [started, crashed], 'failed', 0],
    ['an agent without earlier events', null, [started, stopped], 'down', 0],
    ['other events between', since('failed', 60), [other, stopped, other, started, other], 'up', 60],
  ] as const)('%s', (_, stored, events, state, down_seconds) => {
    expect(lifecycleStep(stored, events, NOW)).toEqual({ next: { state, sinceMs: NOW }, down_seconds })
  })

  test.each([
    [since('up', 60), [started, started]],
    [since('down', 60), [crashed, burned]],
    [since('failed', 60), [stopped, stopped]],
    [since('up', 60), []],
  ])('stays %o after events that repeat it', (stored, events) => {
    expect(lifecycleStep(stored, events, NOW)).toEqual({ next: stored, down_seconds: 0 })
  })

  test('is unchanged without lifecycle events', () => {
    expect(lifecycleOf([])).toBeNull()
    expect(lifecycleOf([other])).toBeNull()
    expect(lifecycleOf([worked])).toEqual({ has_up: true, has_shutdown: false, end_state: 'up' })
    expect(lifecycleOf([other, crashed, stopped])).toEqual({
      has_up: false,
      has_shutdown: true,
      end_state: 'failed',
    })
  })

  test('is the same as after its events one by one, for every batch of up to five', () => {
    const kinds = [started, worked, stopped, crashed]
    let batches: (typeof other)[][] = [[]]
    for (let length = 1; length <= 5; length++) {
      batches = batches.flatMap((batch) => kinds.map((kind) => [...batch, kind]))
      for (const batch of batches) {
        for (const stored of [null, since('up', 60), since('down', 60), since('failed', 60)]) {
          let next: Lifecycle | null = stored
          let down = 0
          for (const event of batch) {
            const step = lifecycleStep(next, [event], NOW)
            next = step.next
            down += step.down_seconds
          }
          expect(lifecycleStep(stored, batch, NOW)).toEqual({ next, down_seconds: down })
        }
      }
    }
  })

  test('never has more downtime than the time that has passed', () => {
    const random = seeded(1)
    const kinds = [started, stopped, crashed] as const
    for (let run = 0; run < 200; run++) {
      let stored: Lifecycle | null = null
      let [now, total] = [NOW, 0]
      for (let count = 0; count < 50; count++) {
        now += Math.floor(random() * 3000)
        const batch = Array.from(
          { length: 1 + Math.floor(random() * 3) },
          () => kinds[Math.floor(random() * 3)] ?? started,
        )
        const step = lifecycleStep(stored, batch, now)
        stored = step.next
        total += step.down_seconds
      }
      expect(total).toBeLessThanOrEqual((now - NOW) / 1000)
    }
  })
})
