import { differingRow, type LoggedDay } from '../../packages/verify/days.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { hashInputs } from '../../src/trust/inputs.ts'
import { SCORES } from '../../src/trust/score.ts'
import { WINDOW_DAYS, windowOf } from '../../src/trust/window.ts'
import type { Client } from './client.ts'
import { inputsShape, type PastScore, scoresShape } from './wire.ts'

const HISTORY_MAX = 365

/**
 * Compares what the service shows for finished days with what it has logged: the rows of each window in the log, and
 * the scores of the history.
 *
 * @param finished the first day that need not be logged yet
 *
 * Source: transparency log, How a score follows from the log, (e)
 */
export async function compareShown(
  { ask }: Client,
  reg: string,
  days: readonly LoggedDay[],
  finished: string,
): Promise<{ windows: number; scores: number; problems: string[] }> {
  const problems: string[] = []
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return { windows: 0, scores: 0, problems }
  const logged = days.flatMap(({ rows }) => rows)
  let windows = 0
  for (let day = last.day; day >= first.day; day = earlier(day, WINDOW_DAYS)) {
    windows += 1
    const shown = await ask(`/api/v1/agents/${reg}/trust-score/inputs?date=${day}`, inputsShape)
    const differing = differingRow(shown.rows, windowOf(logged, shown.today).rows)
    if (differing) problems.push(`the rows shown for ${day} are not those of the log: ${differing}`)
    if (shown.sha256 !== (await hashInputs(shown.rows)))
      problems.push(`the hash shown for ${day} is not that of its rows`)
  }
  const { data } = await ask(`/api/v1/agents/${reg}/trust-score/history?limit=${HISTORY_MAX}`, scoresShape)
  problems.push(...compareHistory(data, days, finished))
  return { windows, scores: data.length, problems }
}

/**
 * Compares the history of scores with the logged ones.
 *
 * @param history newest first
 * @param days oldest first
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

/** Days that count more events than the log has of the agent. */
export function excessDays(days: readonly LoggedDay[], events: number): string[] {
  return days
    .filter(({ seq }) => seq > events)
    .map(({ day, seq }) => `day ${day}: it ends with event ${seq}, the log has ${events}`)
}

/**
 * Finished days with events that should be in the log, but are not.
 *
 * @param created times of open events, ISO 8601
 * @param finished the first day that need not be logged yet
 */
export function missingDays(
  created: readonly string[],
  days: readonly LoggedDay[],
  finished: string,
): string[] {
  const logged = new Set(days.map(({ day }) => day))
  return [...new Set(created.map((at) => at.slice(0, 10)))]
    .filter((day) => day < finished && !logged.has(day))
    .map((day) => `day ${day} is over, but not in the log`)
}

function earlier(day: string, days: number): string {
  return utcDay(new Date(Date.parse(day) - days * DAY_MS))
}
