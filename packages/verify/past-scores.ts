import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { SCORES, type TrustScore } from '../../src/trust/score.ts'
import { WINDOW_DAYS, windowOf } from '../../src/trust/window.ts'
import type { Check, Context } from './checks.ts'
import { daysOf, differingRow, firstOpenDay, type LoggedDay, rowsOf } from './days.ts'
import { differenceOf, pluralize, requireNone, requireVerified } from './problems.ts'
import { fetchInputs } from './score.ts'
import { itemsOf } from './service.ts'

const HISTORY_MAX = 365

/** A score of the history, unverified. */
export type PastScore = Pick<TrustScore, (typeof SCORES)[number] | 'events_considered'> & { day: string }

/**
 * Compares what the service shows for finished days with what it has logged: the rows of each window, and the scores of
 * the history. A score of the history that is not logged yet is recomputed.
 *
 * Source: docs/use/transparency.md, "What is checked", 9
 */
export const historyCheck: Check = {
  name: 'history',
  async verify(context) {
    const { service, reg } = context
    const { seenAt } = requireVerified(context.head, 'the checkpoint')
    const days = daysOf(context).days.filter(({ day }) => day < utcDay(seenAt))
    const windows = await compareWindows(context, days)
    const body = await service.fetchJson(`/api/v1/agents/${reg}/trust-score/history?limit=${HISTORY_MAX}`)
    const history = itemsOf<PastScore>(body)
    const problems = compareHistory(history, days, firstOpenDay(seenAt))
    const logged = new Set(days.map(({ day }) => day))
    // A score of tomorrow is of a service whose clock was ahead: it is replaced.
    for (const past of history.filter(({ day }) => !logged.has(day) && day <= utcDay(seenAt))) {
      const { score } = await fetchInputs(context, past.day)
      if (score?.events_considered !== past.events_considered) continue // it does not include the last events yet
      const difference = differenceOf(past, score, SCORES)
      if (difference) problems.push(`the score of ${past.day}: ${difference}`)
    }
    requireNone([...windows.problems, ...problems])
    return `${pluralize(history.length, 'score')} of the history, and the rows of ${pluralize(windows.count, 'window')}`
  },
}

async function compareWindows(context: Context, days: readonly LoggedDay[]) {
  const [first, last] = [days[0], days.at(-1)]
  const problems: string[] = []
  let count = 0
  if (!first || !last) return { count, problems }
  for (let day = last.day; day >= first.day; day = utcDay(new Date(Date.parse(day) - WINDOW_DAYS * DAY_MS))) {
    count += 1
    const { rows, openOutages, today } = await fetchInputs(context, day)
    const logged = days.find((one) => one.day === today)
    if (logged && logged.open_outages !== openOutages)
      problems.push(`${openOutages} open outages are shown for ${day}, the log has ${logged.open_outages}`)
    const differing = differingRow(rows, windowOf(rowsOf(days), today).rows)
    if (differing) problems.push(`the rows shown for ${day} are not those of the log: ${differing}`)
  }
  return { count, problems }
}

/**
 * Compares the history of scores with the logged ones.
 *
 * @param history newest first
 * @param days oldest first
 * @param finished the first day that need not be logged yet
 */
export function compareHistory(
  history: readonly PastScore[],
  days: readonly LoggedDay[],
  finished: string,
): string[] {
  const logged = new Set(days.map(({ day }) => day))
  const unlogged = history
    .filter(({ day }) => day < finished && !logged.has(day))
    .map(({ day }) => `a score of ${day} is shown that the log does not have`)
  const shown = new Map(history.map((score) => [score.day, score]))
  const oldest = history.length < HISTORY_MAX ? '' : (history.at(-1)?.day ?? '')
  const wrong = days.flatMap(({ day, score }) => {
    const past = shown.get(day)
    if (!past) return score && day >= oldest ? [`the score of ${day} is in the log, but no longer shown`] : []
    if (!score) return [`a score of ${day} is shown that the log does not have`]
    if (past.events_considered !== score.events)
      return [
        `the score of ${day} is shown for ${past.events_considered} events, the log has ${score.events}`,
      ]
    const name = SCORES.find((one) => past[one].toFixed(1) !== score[one])
    return name ? [`${name} of ${day} is shown as ${past[name].toFixed(1)}, the log has ${score[name]}`] : []
  })
  return [...unlogged, ...wrong]
}
