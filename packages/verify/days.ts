import type { RollupField } from '../../src/db/rollup-fields.ts'
import { DAY_MS, HOUR_MS, utcDay } from '../../src/lib/time.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import { hashInputs, INPUT_FIELDS } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, SCORES, scoreAgent } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import type { Check, Context } from './checks.ts'
import { entriesOf } from './entries.ts'
import {
  CheckFailed,
  differenceOf,
  Inconclusive,
  pluralize,
  requireNone,
  requireVerified,
} from './problems.ts'
import { isRow } from './rows.ts'

type DayLeaf = Extract<Leaf, { kind: 'day' }>

const DAY_LATE_MS = 6 * HOUR_MS // within which the leaf of a finished day is promised

/** Upper bounds of the sums of counters in a row: another counter of the row, times a factor. */
const BOUNDS: [counted: RollupField[], most: RollupField, times?: number][] = [
  [['completed', 'failed'], 'events'],
  [['graded_count'], 'completed'],
  [['graded_milli'], 'graded_count', 1000],
  [['latency_count'], 'completed'],
  [['latency_satisfied', 'latency_tolerating'], 'latency_count'],
  [['incidents_info', 'incidents_warning', 'incidents_error', 'incidents_critical'], 'events'],
]

/**
 * Compares the days of the log with each other and with the rows that are shown: each score that was logged follows
 * from its rows, and the rows of logged days are those that are shown.
 */
export const daysCheck: Check = {
  name: 'days',
  async verify(context) {
    const { now, notes } = context
    const { days, revisions } = daysOf(context)
    for (const { day, rev } of days)
      if (rev > 1) notes.push(`day ${day} was corrected: revision ${rev} counts`)
    const scored = await judgeScores(days, revisions)
    requireNone([...judgeSums(days), ...scored.problems])
    const { rows, today } = requireVerified(context.shown, 'the score')
    // If the clock of the service was ahead, a day was logged too early, and is logged again after its end.
    const over = days.filter(({ day }) => day < utcDay(now))
    for (const { day } of days.slice(over.length))
      notes.push(`day ${day} was logged before its end: its rows are checked after it has ended`)
    const logged = new Set(over.map(({ day }) => day))
    const differing = differingRow(
      rows.filter(({ day }) => logged.has(day)),
      windowOf(rowsOf(over), today).rows,
    )
    if (differing) throw new CheckFailed(`the rows that are shown are not those of the log: ${differing}`)
    const open = [...new Set(rows.map(({ day }) => day))].filter((day) => !logged.has(day))
    const late = open.find((day) => day < firstOpenDay(now))
    if (late) throw new Inconclusive(`day ${late} is over, but not in the log`)
    const rest = open.length > 0 ? `; not logged yet: ${open.join(', ')}` : ''
    return `${pluralize(days.length, 'day')}, scores computed again: ${scored.scores}${rest}`
  },
}

/** The first day that need not be in the log yet. */
export function firstOpenDay(now: Date): string {
  return utcDay(new Date(now.getTime() - DAY_LATE_MS))
}

/** One revision of an agent's day in the log. */
export interface LoggedDay {
  index: number
  day: string
  rev: number
  /** The last event up to the end of the day. */
  seq: number
  totals: DayLeaf['totals']
  rows: Rollup[]
  open_outages: number
  score: DayLeaf['score']
}

/**
 * The logged days of the agent, oldest first, each in its newest revision, and all revisions in order of index.
 *
 * @throws CheckFailed if the rows of a leaf are not rollup rows
 */
export function daysOf(context: Context): { days: LoggedDay[]; revisions: LoggedDay[] } {
  const revisions = entriesOf(context, 'day').map(({ index, leaf }): LoggedDay => {
    const rows: unknown[] = leaf.rows.map((values) =>
      Object.fromEntries(INPUT_FIELDS.map((name, at) => [name, values[at]])),
    )
    if (!rows.every(isRow) || leaf.rows.some(({ length }) => length !== INPUT_FIELDS.length))
      throw new CheckFailed(`day ${leaf.day}: its rows cannot be read`)
    return { ...leaf, index, rows }
  })
  return { revisions, days: newestOf(revisions) }
}

/**
 * Checks the sums of days: no counter of a row exceeds what its events allow, the rows of a day count exactly the events
 * that the log has of it, and its totals are those of all rows up to then.
 *
 * Source: docs/use/transparency.md, "What is checked", 5
 */
export function judgeSums(days: readonly LoggedDay[]): string[] {
  const problems: string[] = []
  const sums = { events: 0, tasks_completed: 0, tasks_failed: 0 }
  for (const { day, seq, totals, rows } of days) {
    const counted = rows.reduce((sum, row) => sum + row.events, 0)
    if (counted !== seq - sums.events)
      problems.push(
        `day ${day}: its rows count ${counted} events, but the log has ${seq - sums.events} of this day`,
      )
    sums.events = seq
    for (const { completed, failed } of rows) {
      sums.tasks_completed += completed
      sums.tasks_failed += failed
    }
    const wrong = differenceOf(totals, sums)
    if (wrong) problems.push(`day ${day}: of its totals, ${wrong}`)
    for (const row of rows)
      for (const [names, most, times = 1] of BOUNDS)
        if (names.reduce((sum, name) => sum + row[name], 0) > times * row[most])
          problems.push(`day ${day}, ${row.source}: more ${names.join(' + ')} than ${most} allow`)
  }
  return problems
}

/**
 * Recomputes each logged score from the logged rows of its window. Days may have been corrected since: a score must
 * follow from the rows as they were when it was logged, or as they are now.
 *
 * Source: docs/use/transparency.md, "What is checked", 5
 */
async function judgeScores(
  days: readonly LoggedDay[],
  revisions: readonly LoggedDay[],
): Promise<{ scores: number; problems: string[] }> {
  const problems: string[] = []
  const rows = rowsOf(days)
  const outages = new Map(days.map(({ day, open_outages }) => [day, open_outages]))
  for (const one of days) {
    const { day, score, index } = one
    if (score) {
      const asLogged = () => rowsOf(revisions.filter((other) => other.index <= index))
      const wrong = await wrongScore(score, one, rows)
      if (wrong && (await wrongScore(score, one, asLogged()))) problems.push(`day ${day}: ${wrong}`)
    } else {
      const own = scoreAgent(rows, day, one.open_outages)
      const yesterday = utcDay(new Date(Date.parse(day) - DAY_MS))
      const before = scoreAgent(rows, yesterday, outages.get(yesterday))
      const moved = own && SCORES.find((name) => own[name] !== before?.[name])
      if (moved)
        problems.push(
          `day ${day}: its rows give another ${moved} than the day before, and no score is logged`,
        )
    }
  }
  return { scores: days.filter(({ score }) => score).length, problems }
}

/** The first difference between a logged score and the one computed from rows; null if none. */
async function wrongScore(
  score: object,
  { day, open_outages }: LoggedDay,
  rows: readonly Rollup[],
): Promise<string | null> {
  const own = scoreAgent(rows, day, open_outages)
  const expected = {
    alg: ALGORITHM_VERSION,
    inputs: await hashInputs(windowOf(rows, day).rows, open_outages),
    events: own?.events_considered,
    ...Object.fromEntries(SCORES.map((name) => [name, own?.[name].toFixed(1)])),
  }
  return differenceOf(score, expected, Object.keys({ ...expected, ...score }))
}

/** The newest revision of each day, oldest day first. */
function newestOf(revisions: readonly LoggedDay[]): LoggedDay[] {
  const days = new Map(revisions.map((one) => [one.day, one]))
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

/** The rows of the newest revision of each day. */
export function rowsOf(revisions: readonly LoggedDay[]): Rollup[] {
  return newestOf(revisions).flatMap(({ rows }) => rows)
}

/** The first difference between two lists of rollup rows: day, source and field; null if none. */
export function differingRow(shown: readonly Rollup[], own: readonly Rollup[]): string | null {
  for (const { day, source } of [...shown, ...own]) {
    const isSameRow = (row: Rollup) => row.day === day && row.source === source
    const difference = differenceOf(shown.find(isSameRow) ?? {}, own.find(isSameRow) ?? {}, INPUT_FIELDS)
    if (difference) return `${day} ${source}: ${difference}`
  }
  return null
}
