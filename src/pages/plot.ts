import { toDecimal } from '../trust/score.ts'
import type { HistoryDay } from './history.ts'
import { count, counted, type Html, html, raw } from './html.ts'
import { table } from './table.ts'

/** Height reserved for the dots of faults below the bars. */
const DOTS = 9
const HEIGHT = 100
const LEAST = 1.5
/** Gap on each side of a bar, as a share of its width. */
const GAP = 0.1

/** Above this number of days, each bar is a week: more bars would be too thin. */
const DAILY_MAX = 90
const WEEK = 7

/** What the score is at most if only the operator reports, or one platform: docs/use/trust-score.md. */
const LIMITS = [59, 77] as const
/** Marks beside each other on a narrow screen, of at least 24 px each. */
const MARKS_MAX = 11

/** The days of one bar and one table row. */
interface Span extends Omit<HistoryDay, 'score'> {
  /** Index of the first day. */
  x: number
  days: number
  /** The score of the last day. */
  score: number | null
}

/** A link from a day of the plot of the score. */
interface Mark {
  /** `YYYY-MM-DD` */
  day: string
  href: string
  label: string
}

/** A line plot of the score with the limits of weaker evidence and marks, and a table of its changes. */
export function scorePlot(days: readonly HistoryDay[], marks: readonly Mark[]): Html {
  const scored = days.filter((day): day is HistoryDay & { score: number } => day.score !== null)
  const [first, last] = [scored[0], scored.at(-1)]
  if (!first || !last) return html`<p class="quiet">No score in these days.</p>`
  const label = `Trust score from ${toDecimal(first.score)} on ${first.day} to ${toDecimal(last.score)} on ${last.day}`
  const spans = spansOf(days)
  const changes = spans.filter(({ score }, n) => score !== (spans[n - 1]?.score ?? null))
  return html`<figure class="plot">
<figcaption>Trust score <output></output></figcaption>
<div class="y" aria-hidden="true"><span>100</span><span>50</span><span>0</span></div>
<svg viewBox="0 0 ${days.length} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${label}">
<path class="grid" d="M0 0H${days.length}M0 50H${days.length}M0 100H${days.length}"/>
<path class="limit" d="${LIMITS.map((at) => `M0 ${HEIGHT - at}H${days.length}`).join('')}"/>
<path class="line" d="${lineOf(days)}"/>
${marksOf(days, marks)}
</svg>
${dates(days)}
${slider(days, 'Day of the score')}
</figure>
${tableOf(
  'When the score changed',
  `${headOf(spans)} | #Score`,
  changes.map(({ day, score }) => [day, score === null ? 'none' : toDecimal(score)]),
)}`
}

/** Tasks per day or week as bars: completed ones upward, failed ones downward, with dots for faults; and a table. */
export function taskPlot(days: readonly HistoryDay[]): Html {
  const spans = spansOf(days)
  const sum = sumOf(days)
  const busy = spans.filter(({ completed, failed, faults }) => completed + failed + faults > 0)
  if (busy.length === 0) return html`<p class="quiet">No tasks in these days.</p>`
  const most = Math.max(...spans.map(({ completed }) => completed))
  const worst = Math.max(...spans.map(({ failed }) => failed))
  const scale = (HEIGHT - (sum.faults > 0 ? DOTS : 0)) / Math.max(1, most + worst)
  const base = round(most + worst === 0 ? HEIGHT - DOTS : most * scale)
  const bars = (field: 'completed' | 'failed', direction: 1 | -1) =>
    busy
      .filter((span) => span[field] > 0)
      .map(({ x, days: width, [field]: tasks }) => {
        const height = direction * Math.max(LEAST, tasks * scale)
        return `M${round(x + GAP * width)} ${base}v${round(height)}h${round((1 - 2 * GAP) * width)}V${base}z`
      })
      .join('')
  const dots = busy.flatMap(({ x, days: width, faults }) => (faults > 0 ? `M${x + width / 2} 96h0` : []))
  const title = `Tasks per ${spans.length < days.length ? 'week' : 'day'}`
  const label = `${counted(sum.completed, 'completed task')}, ${count(sum.failed)} failed, ${counted(sum.faults, 'fault')} from ${days[0]?.day} to ${days.at(-1)?.day}`
  return html`<figure class="plot">
<figcaption>${title} <span class="legend"><span class="done">▲ completed</span> <span class="failed">▼ failed</span> <span class="fault">● faults</span></span> <output></output></figcaption>
<div class="y" aria-hidden="true"><span>${short(most)}</span>${worst > 0 && html`<span>${short(worst)}</span>`}</div>
<svg viewBox="0 0 ${days.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
<path class="done" d="${bars('completed', -1)}"/>
<path class="failed" d="${bars('failed', 1)}"/>
<path class="grid" d="M0 ${base}H${days.length}"/>
<path class="fault" d="${dots.join('')}"/>
</svg>
${dates(days)}
${slider(days, 'Day of the tasks')}
</figure>
${tableOf(
  title,
  `${headOf(spans)} | #Completed | #Failed | #Faults`,
  busy.map(({ day, completed, failed, faults }) => [day, count(completed), count(failed), count(faults)]),
  'A fault is an incident, an error event of severity warning or error, or any critical event.',
)}`
}

/** Single days, or weeks counted back from the last day. */
function spansOf(days: readonly HistoryDay[]): Span[] {
  const length = days.length > DAILY_MAX ? WEEK : 1
  const spans: Span[] = []
  for (let end = days.length; end > 0; end -= length) {
    const x = Math.max(0, end - length)
    const { day = '', score = null } = days[end - 1] ?? {}
    spans.unshift({ x, days: end - x, day, score, ...sumOf(days.slice(x, end)) })
  }
  return spans
}

function sumOf(days: readonly HistoryDay[]) {
  const sum = { completed: 0, failed: 0, faults: 0 }
  for (const { completed, failed, faults } of days) {
    sum.completed += completed
    sum.failed += failed
    sum.faults += faults
  }
  return sum
}

function headOf(spans: readonly Span[]): string {
  return spans.at(-1)?.days === 1 ? 'Day' : 'Week to'
}

/** Links to incidents; of those that are too close to each other to hit, the first. */
function marksOf(days: readonly HistoryDay[], marks: readonly Mark[]): Html[] {
  const shown: Html[] = []
  let last = Number.POSITIVE_INFINITY
  for (const { day, href, label } of marks) {
    const x = days.findIndex((each) => each.day === day)
    if (x < 0 || Math.abs(last - x) < days.length / MARKS_MAX) continue
    last = x
    shown.push(
      html`<a href="${href}" aria-label="${label}"><path class="mark" d="M${x + 0.5} ${round(HEIGHT - (days[x]?.score ?? 0))}h0"/></a>`,
    )
  }
  return shown
}

/** With scripts, shows the values of a day: the script reads them from the table below the plot. */
function slider(days: readonly HistoryDay[], label: string): Html {
  return html`<input type="range" min="0" max="${days.length - 1}" value="${days.length - 1}" aria-label="${label}" hidden>`
}

/** The path of a step line: a score applies to its whole day. */
function lineOf(days: readonly HistoryDay[]): string {
  let path = ''
  for (let x = 0; x < days.length; x++) {
    const score = days[x]?.score ?? null
    if (score === null) continue
    const before = days[x - 1]?.score ?? null
    if (before === null) path += `M${x} ${round(HEIGHT - score)}`
    else if (before !== score) path += `V${round(HEIGHT - score)}`
    if (days[x + 1]?.score !== score) path += `H${x + 1}`
  }
  return path
}

function dates(days: readonly HistoryDay[]): Html {
  return html`<div class="x" aria-hidden="true"><span>${days[0]?.day}</span><span>${days.at(-1)?.day}</span></div>`
}

/** A table with the newest row first. Days and numbers need no escaping, which would take as long as computing the score. */
function tableOf(
  caption: string,
  columns: string,
  rows: readonly (readonly string[])[],
  note?: string,
): Html {
  return html`<details><summary>${caption}: table</summary>
${table(caption, columns, raw(rows.toReversed().map(rowOf).join('')))}${note && html`<p class="hint">${note}</p>`}</details>`
}

function rowOf([day, ...figures]: readonly string[]): string {
  return `<tr><td>${day}${figures.map((figure) => `<td class="n">${figure}`).join('')}`
}

/** A short number for the axis: 12,962 is 13K. Intl.NumberFormat would take longer than the entire plot. */
function short(tasks: number): string {
  if (tasks < 10_000) return count(tasks)
  return tasks < 1e6 ? `${Math.round(tasks / 1e3)}K` : `${round(tasks / 1e6)}M`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
