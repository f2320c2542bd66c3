import { describe, expect, test } from 'vitest'
import type { LifecycleState } from '../../src/db/enums.ts'
import {
  type Lifecycle,
  lifecycleOf,
  lifecycleStep,
  MAX_INTERVAL_SECONDS,
} from '../../src/trust/lifecycle.ts'
import { eventDelta, responseMs } from '../../src/trust/rollup.ts'

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

  test.each([
    [{ quality: 0.95 }, 950],
    [{ quality: -0 }, 0],
    [{ quality: 1 }, 1000],
    [{ quality: 0.0005 }, 1],
    [{ correct: false }, 0],
    [{ quality: 0.4, correct: true }, 400],
    [{ quality: 1.2, correct: true }, 1000],
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
    { quality: Number.NaN },
    { correct: 'true' },
    { response_ms: -1 },
    { response_ms: 86_400_001 },
    { response_ms: '1500' },
    { response_ms: null },
  ])('ignore metadata of the wrong type or range: %j', (metadata) => {
    expect(adds('task_completed', metadata)).toEqual({ events: 1, completed: 1 })
    expect(responseMs({ event_type: 'task_completed', severity: 'info', metadata })).toBe(0)
  })

  test.each([
    [0, 0, { latency_satisfied: 1 }],
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

describe('the lifecycle', () => {
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

  test('is the same after a batch of up to five events as after them one by one', () => {
    const kinds = [started, worked, stopped, crashed, other]
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
          if (
            JSON.stringify(lifecycleStep(stored, batch, NOW)) === JSON.stringify({ next, down_seconds: down })
          )
            continue
          expect.fail(JSON.stringify({ stored, batch, next, down }))
        }
      }
    }
  })

  test('is unchanged without steps, of which SQL receives a summary', () => {
    expect(lifecycleStep(since('failed', 60), [], NOW)).toEqual({
      next: since('failed', 60),
      down_seconds: 0,
    })
    expect(lifecycleOf([other])).toBeNull()
    expect(lifecycleOf([worked])).toEqual({ has_up: true, has_shutdown: false, end_state: 'up' })
    expect(lifecycleOf([other, crashed, stopped])).toEqual({
      has_up: false,
      has_shutdown: true,
      end_state: 'failed',
    })
  })
})
