import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { hashInputs, INPUT_FIELDS } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, SCORES, scoreAgent } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import type { PlacedLeaf } from './history.ts'

type DayLeaf = Extract<PlacedLeaf['leaf'], { kind: 'day' }>

/** What the log says of an agent's day, in its newest revision. */
export interface LoggedDay {
  index: number
  day: string
  rev: number
  /** The last event up to the end of the day. */
  seq: number
  rows: Rollup[]
  score: DayLeaf['score']
}

/**
 * The days of an agent, oldest first, each in its newest revision, and all revisions in order of index.
 *
 * @returns a problem for each leaf whose rows are no rollup rows
 */
export function readDays(leaves: readonly { index: number; leaf: DayLeaf }[]) {
  const problems: string[] = []
  const revisions = leaves.map(({ index, leaf }): LoggedDay => {
    const { day, rev, seq, score } = leaf
    const rows = leaf.rows.map((values) =>
      Object.fromEntries(INPUT_FIELDS.map((name, at) => [name, values[at]])),
    )
    if (leaf.rows.some(({ length }) => length !== INPUT_FIELDS.length))
      problems.push(`day ${day}: its rows have other fields than algorithm ${ALGORITHM_VERSION} reads`)
    return { index, day, rev, seq, score, rows: rows as unknown as Rollup[] }
  })
  const newest = new Map<string, LoggedDay>()
  for (const one of revisions) if (one.rev >= (newest.get(one.day)?.rev ?? 0)) newest.set(one.day, one)
  const days = [...newest.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1))
  return { revisions, days, problems }
}

/**
 * Judges the sums of days: no counter of a row exceeds what its events allow, and the events of a day's rows are exactly
 * those that the log numbers in it.
 *
 * @param events how many events the log has of the agent
 *
 * Source: transparency log, How a score follows from the log, (b) and (c)
 */
export function judgeSums(days: readonly LoggedDay[], events: number): string[] {
  const problems: string[] = []
  let before = 0
  for (const { day, seq, rows } of days) {
    const counted = rows.reduce((sum, row) => sum + row.events, 0)
    if (counted !== seq - before)
      problems.push(`day ${day}: its rows count ${counted} events, the log numbers ${seq - before} in it`)
    if (seq > events) problems.push(`day ${day}: it ends with event ${seq}, the log has ${events}`)
    for (const row of rows) {
      const name = excess(row)
      if (name) problems.push(`day ${day}, ${row.source}: ${name}`)
    }
    before = seq
  }
  return problems
}

/**
 * Computes each logged score from the logged rows of its window. A day may have been corrected since: its score must
 * follow from the rows as they stood when it was logged, or as they stand now.
 *
 * Source: transparency log, How a score follows from the log, (a)
 */
export async function judgeScores(
  days: readonly LoggedDay[],
  revisions: readonly LoggedDay[],
): Promise<{ scores: number; problems: string[] }> {
  const problems: string[] = []
  let scores = 0
  const allRows = days.flatMap(({ rows }) => rows)
  for (const one of days) {
    if (one.score) {
      scores += 1
      const wrong = await wrongScore(one, allRows)
      const asLogged = wrong && (await wrongScore(one, rowsAsOf(one, revisions)))
      if (asLogged) problems.push(`day ${one.day}: ${wrong}`)
      continue
    }
    const [here, before] = [one.day, dayBefore(one.day)].map((day) => scoreAgent(allRows, day))
    const moved = SCORES.find((name) => here?.[name] !== before?.[name])
    if (here && moved)
      problems.push(
        `day ${one.day}: its rows give another ${moved} than the day before, and no score is logged`,
      )
  }
  return { scores, problems }
}

/** What a row counts more of than its events allow; null when nothing. Source: (c) */
function excess(row: Rollup): string | null {
  const sums = {
    'completed and failed tasks than events': row.completed + row.failed - row.events,
    'grades than completed tasks': row.graded_count - row.completed,
    'points than its grades can hold': row.graded_milli - 1000 * row.graded_count,
    'response times than completed tasks': row.latency_count - row.completed,
    'fast responses than response times': row.latency_satisfied + row.latency_tolerating - row.latency_count,
    'incidents than events':
      row.incidents_info + row.incidents_warning + row.incidents_error + row.incidents_critical - row.events,
  }
  const found = Object.entries(sums).find(([, over]) => over > 0)
  return found ? `more ${found[0]}` : null
}

async function wrongScore({ day, score }: LoggedDay, rows: readonly Rollup[]): Promise<string | null> {
  if (!score) return null
  if (score.alg !== ALGORITHM_VERSION)
    return `scored by algorithm ${score.alg}, this program knows ${ALGORITHM_VERSION}`
  if ((await hashInputs(windowOf(rows, day).rows)) !== score.inputs)
    return 'its score was computed from other rows than the log has'
  const own = scoreAgent(rows, day)
  if (!own) return 'a score is logged, its rows are too few for one'
  const wrong = SCORES.find((name) => own[name].toFixed(1) !== score[name])
  if (wrong) return `${wrong} is logged as ${score[wrong]}, its rows give ${own[wrong].toFixed(1)}`
  return own.events_considered === score.events
    ? null
    : `its score is of ${score.events} events, its rows have ${own.events_considered}`
}

/** The rows of all days as they stood when a leaf was logged. */
function rowsAsOf({ index }: LoggedDay, revisions: readonly LoggedDay[]): Rollup[] {
  const standing = new Map<string, LoggedDay>()
  for (const one of revisions) if (one.index <= index) standing.set(one.day, one)
  return [...standing.values()].flatMap(({ rows }) => rows)
}

function dayBefore(day: string): string {
  return utcDay(new Date(Date.parse(day) - DAY_MS))
}

/** Where two lists of rollup rows differ: day, source and field; null when they are the same. */
export function differingRow(ones: readonly Rollup[], others: readonly Rollup[]): string | null {
  const nameOf = ({ day, source }: Rollup) => `${day} ${source}`
  const known = new Map(others.map((row) => [nameOf(row), row]))
  for (const row of ones) {
    const other = known.get(nameOf(row))
    if (!other) return `${nameOf(row)} is not there`
    const field = ROLLUP_FIELDS.find((name) => row[name] !== other[name])
    if (field) return `${nameOf(row)}: ${field} is ${row[field]}, not ${other[field]}`
    known.delete(nameOf(row))
  }
  const [more] = known.keys()
  return more === undefined ? null : `${more} is new`
}
