import { expect, test } from 'vitest'
import { ROLLUP_FIELDS, type RollupField } from '../../src/db/rollup-fields.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Lifecycle, lifecycleStep } from '../../src/trust/lifecycle.ts'
import { eventDelta, type Rollup } from '../../src/trust/rollup.ts'
import { SCORES, scoreAgent } from '../../src/trust/score.ts'
import { climb, pick, varied } from '../support/climb.ts'
import { LONG_SEARCH } from '../support/long-search.ts'
import { type ReportingPlatform, sourceOf } from '../support/source.ts'
import { dayOfAge, emptyRow, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const TOMORROW = dayOfAge(-1, TODAY)
// Indexed by age.
const DAYS = Array.from({ length: 90 }, (_, age) => dayOfAge(age, TODAY))
const TIMES = DAYS.map((day) => Date.parse(day))
const MOST_REPORTS = 120
const SHORT = { climbs: 2, steps: 1_500 }
const LONG = { climbs: 30, steps: 10_000 }
// The highest score that an operator may reach by its own reports, and how far an idle day may move any score.
const MOST = 59
const MOST_IDLE = 20

type Random = () => number

/** A number of equal events that an operator reports to its agent's log at one moment. */
interface Report {
  age: number
  /** Time of day in ms. */
  at: number
  event_type: string
  severity: string
  metadata: Record<string, unknown>
  count: number
  /** Whether the operator is verified by then, and the platform that reports. */
  is_verified: boolean
  by: Reporter
}

// The platforms that an operator can have without a second identity document: its own, and those of unverified accounts.
const DOCUMENT = 'its only document'
type Reporter = (agentIdentity: string | null) => ReportingPlatform | null
const REPORTERS: readonly Reporter[] = [
  () => null,
  (own) => platform(own, false),
  () => platform(null, false),
  () => platform(DOCUMENT, false),
  () => platform(null, true),
]

const TYPES = ['task_completed', 'task_completed', 'task_failed', 'incident', 'error', 'startup', 'shutdown']
const SEVERITIES = ['info', 'warning', 'error', 'critical']
const QUALITIES = [undefined, 1, 1, 0.5, 0, 1.5, -1, 'best']
const TIMES_MS = [undefined, 0, 2_000, 8_000, 60_000, -5, 1e9, '0']

function platform(identity: string | null, is_established: boolean): ReportingPlatform {
  return { identity, is_established, is_distrusted: false }
}

const anyReportOf =
  (reporters: readonly Reporter[]) =>
  (random: Random): Report => {
    return {
      age: Math.floor(DAYS.length * random()),
      at: Math.floor(DAY_MS * random()),
      event_type: pick(TYPES, random),
      severity: random() < 0.8 ? 'info' : pick(SEVERITIES, random),
      metadata: { quality: pick(QUALITIES, random), response_ms: pick(TIMES_MS, random) },
      count: Math.ceil(10_000 ** random()),
      is_verified: random() < 0.5,
      by: pick(reporters, random),
    }
  }

type Added = readonly (readonly [RollupField, number])[]
// A step of the search changes only a few reports.
const ADDED = new WeakMap<Report, Added>()

/** The counters that the events of a report add to their row; cached. */
function addedBy(report: Report): Added {
  const known = ADDED.get(report)
  if (known) return known
  const delta = eventDelta(report)
  const added = ROLLUP_FIELDS.flatMap((field) =>
    delta[field] === 0 ? [] : [[field, report.count * delta[field]] as const],
  )
  ADDED.set(report, added)
  return added
}

/** The rows that result from the reports, oldest first. */
function rowsOf(reports: readonly Report[]): Rollup[] {
  const rows: Rollup[] = []
  let lifecycle: Lifecycle | null = null
  for (const report of reports.toSorted((a, b) => b.age - a.age || a.at - b.at)) {
    const day = DAYS[report.age] ?? TODAY
    const identity = report.is_verified ? DOCUMENT : null
    const source = sourceOf(identity, report.by(identity))
    const step = lifecycleStep(lifecycle, [report], (TIMES[report.age] ?? 0) + report.at)
    lifecycle = step.next
    const known = rows.findLast((each) => each.day === day && each.source === source)
    const row = known ?? emptyRow(day, source)
    if (!known) rows.push(row)
    for (const [field, amount] of addedBy(report)) row[field] += amount
    row.down_seconds += step.down_seconds
  }
  return rows
}

type Values = Record<(typeof SCORES)[number], number>

/** How far a day without events moves each value. */
function movesOf(rows: readonly Rollup[]): Values | null {
  const [is, next] = [scoreAgent(rows, TODAY), scoreAgent(rows, TOMORROW)]
  if (!is || !next) return null
  return Object.fromEntries(SCORES.map((name) => [name, Math.abs(next[name] - is[name])])) as Values
}

/** The largest overall value that hill climbing finds; ties are decided by the dimensions. */
function search(reporters: readonly Reporter[], valuesOf: (rows: readonly Rollup[]) => Values | null) {
  const { climbs, steps } = LONG_SEARCH ? LONG : SHORT
  const random = seeded(1)
  const step = (from: Report[]) => varied(from, random, anyReportOf(reporters), MOST_REPORTS)
  const heightOf = (reports: readonly Report[]) => {
    const values = valuesOf(rowsOf(reports))
    return values ? SCORES.reduce((sum, name) => sum + values[name] / 10_000, values.overall) : 0
  }
  const tops = Array.from({ length: climbs }, () => climb(steps, step, heightOf))
  return Math.max(...tops.map((reports) => valuesOf(rowsOf(reports))?.overall ?? 0))
}

test('no reports that an operator can make about its own agent exceed 59.0', async ({ annotate }) => {
  const found = search(REPORTERS, (rows) => scoreAgent(rows, TODAY))
  await annotate(`highest score found: ${found.toFixed(1)}`)
  expect(found).toBeLessThanOrEqual(MOST)
  // The search is only useful if it comes close.
  expect(found).toBeGreaterThan(MOST - 1)
})

test('no reports of anyone let a day without events move the score by more than 20', async ({ annotate }) => {
  const others = [false, true].map((is_established) => () => platform('another document', is_established))
  const found = search([...REPORTERS, ...others], movesOf)
  await annotate(`largest change found: ${found.toFixed(1)}`)
  expect(found).toBeLessThanOrEqual(MOST_IDLE)
  expect(found).toBeGreaterThan(2) // more than honest agents: score-idle.test.ts
})
