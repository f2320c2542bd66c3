import { html } from 'hono/html'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time.ts'

export { html, raw } from 'hono/html'

/** HTML with escaped texts. */
export type Html = ReturnType<typeof html>

const HYPHENATED = /(REG-\d{4}-\d{4}-\d{4}-[0-9A-Z]|\d{4}-\d\d-\d\d)/
const THOUSANDS = /(?<=\d)(?<!\.\d*)(?=(\d{3})+(?!\d))/g

/** A relative time such as "2 hours ago", or the date after 30 days; the exact time is in `datetime` and the tooltip. */
export function when(iso: string, now: Date): Html {
  return html`<time datetime="${iso}" title="${iso}">${ago(now.getTime() - Date.parse(iso)) ?? iso.slice(0, 10)}</time>`
}

/** A UTC day, as 2026-11-22. */
export function day(iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)}</time>`
}

/** A time to the minute, as 2026-11-22 10:05 UTC. */
export function minute(iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${toMinute(iso)} UTC</time>`
}

/** A time to the second, as 2026-11-22 10:05:07 UTC. */
export function second(iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** A time to the minute as text, as 2026-11-22 10:05. */
export function toMinute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

/** The time left until a point in time, as "23 h 59 min". */
export function left(iso: string, now: Date): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(iso) - now.getTime()) / MINUTE_MS))
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes} min` : `${count(hours)} h ${minutes % 60} min`
}

function ago(ms: number): string | null {
  const [size, unit] =
    ms >= DAY_MS ? [DAY_MS, 'day'] : ms >= HOUR_MS ? [HOUR_MS, 'hour'] : ([MINUTE_MS, 'minute'] as const)
  if (ms < 0 || ms >= 30 * DAY_MS) return null
  const n = Math.floor(ms / size)
  return n === 0 ? 'just now' : `${n} ${unit}${n === 1 ? '' : 's'} ago`
}

/** A number with a comma between thousands. */
export function count(n: number): string {
  return String(n).replace(THOUSANDS, ',') // 20 times as fast as toLocaleString
}

/** "1 event", "2 events". */
export function counted(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** A text with its first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** An API message as a sentence: with an upper-case first letter and a period. */
export function sentence(message: string): string {
  return `${capitalized(message)}${/[.!?]$/.test(message) ? '' : '.'}`
}

/** A claim in quotation marks, below a heading that says that it was not checked. */
export function quoted(text: string | Html): Html {
  return html`“<bdi>${text}</bdi>”`
}

/** A claim that was not checked: quoted, and marked as such. */
export function claim(text: string | Html): Html {
  return html`${quoted(text)} <small class="quiet">not checked</small>`
}

/** A verified fact, with a check mark and the time of its verification. */
export function verified(text: string, since: string | null, now: Date): Html {
  return html`<span class="good" aria-hidden="true">✓</span> <bdi>${text}</bdi> <small class="quiet">verified${since && html` ${when(since, now)}`}</small>`
}

/** A tag with a severity, colored accordingly. */
export function severityTag(severity: string): Html {
  const color = { critical: 'bad', error: 'bad', warning: 'warn' }[severity] ?? 'quiet'
  return html`<span class="tag ${color}">${severity}</span>`
}

/** A scrollable box for a wide table, also usable by keyboard. */
export function scrolling(label: string, table: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`
}

/** A text without line breaks inside agent numbers and days: browsers would break after the hyphens. */
export function unbroken(text: string): Html {
  return html`${text.split(HYPHENATED).map((part, n) => (n % 2 === 1 ? html`<span class="one">${part}</span>` : part))}`
}

/** Links beside each other, such as the tabs of a thing; that of the current page is marked. */
export function navigation(
  label: string,
  links: readonly (readonly [href: string, text: Html | string])[],
  current: string,
  kind = '',
): Html {
  return html`<nav${kind && html` class="${kind}"`} aria-label="${label}"><ul class="plain">${links.map(
    ([href, text]) =>
      html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`
}

/** A part of a page, named by its heading. */
export function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${content}</section>`
}

/** A fact; omitted if its value is null. */
export type Fact = readonly [label: string, value: Html | string | null]

/** Facts as a list of labels and values. */
export const factList = (facts: readonly Fact[]): Html =>
  html`<dl class="facts">${facts.map(([label, value]) => value && html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`

/** In place of a text that the registry withholds. */
export const WITHHELD = html`<span class="quiet">withheld by the registry</span>`

/** A text to copy; the button is shown if scripts run. */
export function copyable(id: string, label: string, text: string | Html): Html {
  return html`<div class="copy"><div class="hint" id="${id}-label">${label}</div><pre id="${id}" tabindex="0" aria-labelledby="${id}-label">${text}</pre><button type="button" class="light" data-copy data-of="${id}" hidden aria-label="Copy: ${label}">Copy</button></div>`
}
