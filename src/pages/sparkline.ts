import { type DayOfTasks, SPARK_DAYS } from '../agents/recent-days-store.ts'
import { count, type Html, html } from './html.ts'

const STEP = 4
const BAR = 3
const HEIGHT = 24
const MARK = 5

/** Tasks per day as bars, the newest on the right; a day with failures has a mark below its bar. */
export function sparkline(days: readonly DayOfTasks[]): Html {
  const completed = days.reduce((sum, day) => sum + day[1], 0)
  const failed = days.reduce((sum, day) => sum + day[2], 0)
  const label =
    completed + failed === 0
      ? `No tasks in ${SPARK_DAYS} days`
      : `${count(completed + failed)} tasks in ${SPARK_DAYS} days, ${count(failed)} failed; most in a day: ${count(mostOf(days))}`
  return bars(days, SPARK_DAYS, label)
}

function mostOf(days: readonly DayOfTasks[]): number {
  return Math.max(1, ...days.map((day) => day[1] + day[2]))
}

/**
 * A bar for each day or hour, the newest on the right; one with failures has a mark below it.
 *
 * @param days by age, without those that have nothing
 * @param length of the plot, in days or hours
 */
export function bars(days: readonly DayOfTasks[], length: number, label: string): Html {
  const most = mostOf(days)
  const width = STEP * length
  const room = HEIGHT - MARK
  return html`<svg class="spark" role="img" aria-label="${label}" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}"><title>${label}</title><path class="base" d="M0 ${room + 0.5}H${width}"/>${days.map(
    ([age, done, missed]) => {
      const x = STEP * (length - 1 - age)
      const height = Math.max(1.5, (room * (done + missed)) / most)
      return html`<rect x="${x}" y="${(room - height).toFixed(1)}" width="${BAR}" height="${height.toFixed(1)}"/>${missed > 0 && html`<circle cx="${x + BAR / 2}" cy="${HEIGHT - 2}" r="1.5"/>`}`
    },
  )}</svg>`
}
