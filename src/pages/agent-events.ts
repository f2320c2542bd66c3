import type { ListedEvent } from '../activity/responses.ts'
import { reporter } from './agent-facts.ts'
import { count, counted, day, type Html, html, severityTag } from './html.ts'

const VALUES_SHOWN = 240
const FOLDED_FROM = 3

/** The leaf of each event in the transparency log, by event id. */
type LeafNumbers = Readonly<Record<string, number>>

/**
 * Events by UTC day, newest first; runs of the same event are folded.
 *
 * @param leaves null if the leaves are not shown
 */
export function eventList(events: readonly ListedEvent[], leaves: LeafNumbers | null = null): Html {
  return html`${runsBy(events, dayOf).map(
    (ofDay) => html`<h3>${dayOf(ofDay[0] as ListedEvent)}</h3>
<ul class="list">${runsBy(ofDay, kindOf).map((run) =>
      run.length < FOLDED_FROM || run[0]?.redacted
        ? run.map((event) => html`<li>${eventLine(event, leaves)}</li>`)
        : html`<li><details><summary>${summaryOf(run)}</summary>
<ul class="list">${run.map((event) => html`<li>${eventLine(event, leaves)}</li>`)}</ul></details></li>`,
    )}</ul>`,
  )}`
}

/** Consecutive items with the same key. */
function runsBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const runs: T[][] = []
  for (const item of items) {
    const last = runs.at(-1)
    if (last && keyOf(last[0] as T) === keyOf(item)) last.push(item)
    else runs.push([item])
  }
  return runs
}

const dayOf = ({ created_at }: ListedEvent): string => created_at.slice(0, 10)

const kindOf = ({ event_type, severity, source, platform, redacted }: ListedEvent): string =>
  JSON.stringify([event_type, severity, source, platform, Boolean(redacted)])

/** "12 × task_completed, mean quality 0.99". */
function summaryOf(run: readonly ListedEvent[]): Html {
  const [first] = run as [ListedEvent]
  const values = run.flatMap(({ metadata: { quality } }) => (typeof quality === 'number' ? quality : []))
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return html`${count(run.length)} × <code>${first.event_type}</code>${severityOf(first)}${values.length > 0 && `, mean quality ${mean.toFixed(2)}`} <span class="hint">by ${first.platform ?? 'operator'} (${first.source})</span>`
}

function eventLine(event: ListedEvent, leaves: LeafNumbers | null): Html {
  const { created_at, event_type, id } = event
  return html`<p><time datetime="${created_at}" title="${created_at}">${created_at.slice(11, 16)}</time> <code>${event_type}</code>${severityOf(event)} <span class="hint">by ${reporter(event)}${leaves && html` · ${leafOf(leaves[id])}`}</span></p>
${valuesOf(event)}`
}

function leafOf(leaf: number | undefined): Html | string {
  return leaf === undefined ? 'leaf soon' : html`<a class="one" href="/log/proof/${leaf}">leaf ${leaf}</a>`
}

function severityOf({ severity }: ListedEvent): Html | false {
  return severity !== 'info' && html` ${severityTag(severity)}`
}

/** The metadata as pairs. */
function valuesOf({ metadata, redacted }: ListedEvent): Html | false {
  if (redacted) return html`<p class="quiet">redacted ${day(redacted.at)} (${redacted.reason})</p>`
  const pairs = Object.entries(metadata)
  let left = VALUES_SHOWN
  const shown = pairs.flatMap(([name, value]) => {
    if (left <= 0) return []
    const text = `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`
    const part = text.slice(0, left).toWellFormed()
    left -= text.length
    const [key, rest] = [part.slice(0, name.length), part.slice(name.length + 1)]
    return html`<span class="pair"><bdi class="quiet">${key}</bdi> <bdi>${rest}${left < 0 && '…'}</bdi></span> `
  })
  const hidden = pairs.length - shown.length
  return (
    pairs.length > 0 &&
    html`<p class="hint">${shown}${hidden > 0 && html`<span class="quiet">and ${counted(hidden, 'more value')}</span>`}</p>`
  )
}

const COLUMNS = [
  'id',
  'created_at',
  'event_type',
  'severity',
  'source',
  'platform',
  'metadata',
  'leaf',
] as const

/** The events as CSV, a line each; metadata as JSON. Source: RFC 4180. */
export function toCsv(events: readonly ListedEvent[], leaves: LeafNumbers): string {
  const quote = (value: unknown) => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const rows = events.map((event) => ({ ...event, leaf: leaves[event.id] }))
  return [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => quote(row[name])))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')
}

/** The events as the API lists them, a line of JSON each. */
export function toNdjson(events: readonly ListedEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}
