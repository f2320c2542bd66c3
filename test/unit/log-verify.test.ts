import { expect, it } from 'vitest'
import { compareActivity, judgeTimes, type ListedEvent, unloggedOf } from '../../packages/verify/activity.ts'
import { judgeIncidents } from '../../packages/verify/counters.ts'
import { judgeSums, type LoggedDay } from '../../packages/verify/days.ts'
import type { OpenedEvent } from '../../packages/verify/events.ts'
import type { Incident } from '../../packages/verify/incidents.ts'
import { judgeNumbers, type Numbered } from '../../packages/verify/numbers.ts'
import { compareHistory } from '../../packages/verify/past-scores.ts'
import { judgeRollups } from '../../packages/verify/rollups.ts'
import { NOTHING, type Rollup } from '../../src/trust/rollup.ts'

const DAY = '2026-11-20'
const NOW = new Date('2026-11-22T00:00:00.000Z')
const SCORE = {
  overall: 94.8,
  reliability: 96.2,
  accuracy: 95,
  safety: 100,
  speed: 84,
  consistency: 93.1,
  events_considered: 40,
}

const opened = (seq: number, over: Partial<OpenedEvent['facts']> = {}, metadata: object | null = {}) =>
  ({
    index: 10 * seq,
    seq,
    facts: {
      id: `e${seq}`,
      event_type: 'task_completed',
      severity: 'info',
      reported_by: 'operator',
      source: 'self',
      created_at: `${DAY}T10:00:0${seq % 10}.000Z`,
      ...over,
    },
    metadata,
  }) as OpenedEvent

const listed = ({ facts, metadata }: OpenedEvent) => ({ ...facts, metadata: metadata ?? {} }) as ListedEvent

const dayOf = (over: object, seq: number, day = DAY, totals: object = {}): LoggedDay => ({
  index: 1_000,
  day,
  rev: 1,
  seq,
  totals: { events: seq, tasks_completed: 0, tasks_failed: 0, incident_count: 0, ...totals },
  open_outages: 0,
  rows: [{ day, source: 'self', ...NOTHING, ...over }],
  score: null,
})

it('requires each number once, and lets void leaves count as revisions but not as events', () => {
  const at = (index: number, series: string, number: number): Numbered => ({ index, series, number })
  const events = [1, 2, 3].map((n) => at(n, 'events: seq', n))
  expect(judgeNumbers(events, [])).toEqual([])
  expect(judgeNumbers([...events].reverse(), [])).toEqual(['events: seq out of order'])
  expect(judgeNumbers([...events, at(9, 'events: seq', 2), at(10, 'events: seq', 5)], [])).toEqual([
    'events: seq 2 twice',
    'events: seq 4 missing',
  ])
  const voided = [{ from: 3, to: 8 }]
  expect(judgeNumbers([...events, at(9, 'events: seq', 3)], voided)).toEqual([])
  expect(judgeNumbers([...events, at(9, 'events: seq', 4)], voided)).toEqual(['events: seq 3 missing'])
  expect(
    judgeNumbers([at(1, 'agent: rev', 1), at(4, 'agent: rev', 2), at(9, 'agent: rev', 3)], voided),
  ).toEqual([])
})

it('compares times with the heads before and after an event', () => {
  const heads = [
    { size: 15, seen_at: `${DAY}T10:00:00.000Z` },
    { size: 25, seen_at: `${DAY}T12:00:00.000Z` },
  ]
  const judge = (seq: number, time: string) =>
    judgeTimes([opened(seq, { created_at: `${DAY}T${time}.000Z` })], heads)
  expect(judge(1, '10:01:00')).toEqual([])
  expect(judge(1, '10:01:01')).toEqual([
    `event 1 is dated ${DAY}T10:01:01.000Z, but was in the log on ${DAY}T10:00:00.000Z`,
  ])
  expect(judge(2, '09:57:00')).toEqual([])
  expect(judge(2, '09:56:59')).toEqual([expect.stringContaining('backdated, or logged late')])
  expect(judge(3, '11:57:00')).toEqual([])
  expect(judge(3, '11:56:00')).toEqual([expect.stringContaining(`was not in the log on ${DAY}T12:00`)])
  expect(
    judgeTimes(
      [1, 2, 3].map((n) => opened(n)),
      [],
    ),
  ).toEqual([])
})

it('allows listed events that are too recent to be in the log', () => {
  const events = [1, 2, 3].map((n) => opened(n))
  const list = events.map(listed).reverse()
  const fresh = listed(opened(4, { created_at: `${DAY}T11:59:00.000Z` }))
  const at = {
    most: 50,
    events: 3,
    head: { seenAt: new Date(`${DAY}T12:00:00.000Z`) },
    redactions: new Map(),
  }
  expect(unloggedOf([fresh, ...list], new Set(['e1', 'e2', 'e3']))).toEqual([fresh])
  expect(compareActivity([fresh, ...list], events, at)).toEqual([])
  expect(compareActivity([{ ...fresh, created_at: `${DAY}T11:56:00.000Z` }, ...list], events, at)).toEqual([
    `event e4 of ${DAY}T11:56:00.000Z is listed, but not in the log`,
  ])
  expect(compareActivity(list.slice(1), events, at)).toEqual([
    '1 event of the log are not listed as activity',
    'event 3 of the log is e3, the activity lists e2 in its place',
  ])
  expect(compareActivity(list, events, { ...at, most: 3 })).toEqual([])
})

it.each([
  [{ events: 2, completed: 2, failed: 1 }, 'more completed + failed than events allow'],
  [
    { events: 2, completed: 1, graded_count: 1, graded_milli: 1_001 },
    'more graded_milli than graded_count allow',
  ],
  [{ events: 2, completed: 1, latency_count: 2 }, 'more latency_count than completed allow'],
  [
    { events: 2, completed: 2, latency_count: 1, latency_satisfied: 1, latency_tolerating: 1 },
    'more latency_satisfied + latency_tolerating than latency_count allow',
  ],
  [
    { events: 2, incidents_info: 2, incidents_error: 1 },
    'more incidents_info + incidents_warning + incidents_error + incidents_critical than events allow',
  ],
] as [Partial<Rollup>, string][])('rejects a row %j', (over, words) => {
  const { completed = 0, failed = 0 } = over
  const totals = { tasks_completed: completed, tasks_failed: failed }
  expect(judgeSums([dayOf(over, 2, DAY, totals)])).toEqual([`day ${DAY}, self: ${words}`])
})

it('requires the totals of a day to be those of its rows and of the day before', () => {
  const first = { events: 3, completed: 2, failed: 1 }
  const [next, later] = [{ events: 1, completed: 1 }, '2026-11-21']
  const judge = (one: object, other: object) =>
    judgeSums([
      dayOf(first, 3, DAY, { tasks_completed: 2, tasks_failed: 1, incident_count: 1, ...one }),
      dayOf(next, 4, later, { tasks_completed: 3, tasks_failed: 1, incident_count: 1, ...other }),
    ])
  expect(judge({}, {})).toEqual([])
  expect(judge({ tasks_completed: 3 }, {})).toEqual([
    `day ${DAY}: of its totals, tasks_completed is 3, must be 2`,
  ])
  expect(judge({}, { tasks_failed: 0 })).toEqual([
    `day ${later}: of its totals, tasks_failed is 0, must be 1`,
  ])
  expect(judge({}, { events: 5 })).toEqual([`day ${later}: of its totals, events is 5, must be 4`])
})

it('compares the incidents that days count with those that are listed', () => {
  const incident = (day: string) => ({ incident_id: day, created_at: `${day}T23:59:59.999Z` })
  const days = [dayOf({}, 0, DAY, { incident_count: 1 }), dayOf({}, 0, '2026-11-22', { incident_count: 2 })]
  const [one, two, three] = [DAY, '2026-11-21', '2026-11-23'].map(incident)
  expect(judgeIncidents(days, [three, two, one] as Incident[])).toEqual([])
  expect(judgeIncidents(days, [three, one] as Incident[])).toEqual([
    'day 2026-11-22: its totals count 2 incidents, but 1 are listed',
  ])
})

it('compares days with their opened events, and allows for hidden metadata', () => {
  const events = [opened(1, {}, { quality: 0.5, response_ms: 10 }), opened(2, {}, null)]
  const counted = { events: 2, completed: 2, graded_count: 1, graded_milli: 500, latency_count: 1 }
  const judge = (over: object) =>
    judgeRollups([dayOf({ ...counted, latency_satisfied: 1, ...over }, 2)], events, NOW)
  expect(judge({})).toEqual({ days: 1, problems: [] })
  expect(judge({ graded_count: 2, graded_milli: 1_500 }).problems).toEqual([])
  expect(judge({ graded_count: 3 }).problems).toEqual([
    `day ${DAY} self: graded_count is 3 in the log, but 1 in its events`,
  ])
  expect(judge({ graded_milli: 499 }).problems).toHaveLength(1)
  expect(judge({ failed: 1 }).problems).toHaveLength(1)
})

it('compares downtime only if it has all events since the first', () => {
  const events = (first: number) => [
    opened(first, { event_type: 'shutdown', severity: 'error' }),
    opened(first + 1, { event_type: 'startup', created_at: `${DAY}T11:00:00.000Z` }),
  ]
  const down = { events: 2, down_seconds: 4_000 }
  const days = (first: number) => [
    dayOf({ events: first - 1 }, first - 1, '2026-11-19'),
    dayOf(down, first + 1),
  ]
  expect(judgeRollups(days(5), events(5), NOW)).toEqual({ days: 1, problems: [] })
  expect(judgeRollups([dayOf(down, 2)], events(1), NOW).problems).toEqual([
    `day ${DAY} self: down_seconds is 4000 in the log, but 3599 in its events`,
  ])
})

it('compares the outages that are open at the end of a day, if it knows how they began', () => {
  const events = (first: number) => [
    opened(first, { event_type: 'shutdown', severity: 'error', created_at: '2026-11-19T10:00:00.000Z' }),
    opened(first + 1, { event_type: 'note' }),
  ]
  const problemsOf = (first: number, open_outages: number) => {
    const days = [
      dayOf({ events: first - 1 }, first - 1, '2026-11-18'),
      dayOf({ events: 1 }, first, '2026-11-19'),
      { ...dayOf({ events: 1 }, first + 1), open_outages },
    ]
    return judgeRollups(first === 1 ? days.slice(1) : days, events(first), NOW).problems
  }
  expect(problemsOf(1, 1)).toEqual([])
  expect(problemsOf(1, 0)).toEqual([`day ${DAY}: open_outages is 0 in the log, but 1 in its events`])
  expect(problemsOf(1, 2)).toHaveLength(1)
  expect([problemsOf(5, 0), problemsOf(5, 2)]).toEqual([[], []])
})

it('requires every finished score of the history in the log, and every logged score in the history', () => {
  const past = { day: DAY, ...SCORE }
  const inputs = '0'.repeat(64)
  const points = { overall: '94.8', reliability: '96.2', accuracy: '95.0', safety: '100.0', speed: '84.0' }
  const score = { ...points, consistency: '93.1', events: 40, alg: '1.0', inputs }
  const scored = { ...dayOf({}, 1), score }
  expect(compareHistory([past], [scored], '2026-11-22')).toEqual([])
  expect(compareHistory([past], [], DAY)).toEqual([])
  expect(compareHistory([past], [], '2026-11-22')).toEqual([
    `a score of ${DAY} is shown that the log does not have`,
  ])
  expect(compareHistory([], [scored], '2026-11-22')).toEqual([
    `the score of ${DAY} is in the log, but no longer shown`,
  ])
  expect(compareHistory([{ ...past, safety: 99.9 }], [scored], '2026-11-22')).toEqual([
    `safety of ${DAY} is shown as 99.9, the log has 100.0`,
  ])
})
