import { capitalized, day, type Html, html } from '../pages/html.ts'

export type Crumb = readonly [href: string, label: string]

export function crumbs(...steps: readonly Crumb[]): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol class="plain">${steps.map(
    ([href, label]) => html`<li><a href="${href}"><bdi>${label}</bdi></a></li>`,
  )}</ol></nav>`
}

export const sumList = (sums: readonly (readonly [label: string, value: Html | string])[]): Html =>
  html`<dl class="sums">${sums.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

export function empty(title: string, advice: Html, action?: Html): Html {
  return html`<div class="card empty"><h2>${title}</h2><p>${advice}</p>${action && html`<p>${action}</p>`}</div>`
}

const TONES = {
  active: 'good',
  delivered: 'good',
  confirmed: 'good',
  verified: 'good',
  failing: 'warn',
  pending: 'warn',
  claimed: 'warn',
  failed: 'bad',
  disabled: 'bad',
} as const

/** A tag with a state, colored accordingly. */
export function stateTag(state: string, label = state): Html {
  const tone = Object.hasOwn(TONES, state) ? TONES[state as keyof typeof TONES] : 'quiet'
  return html`<span class="tag ${tone}">${capitalized(label)}</span>`
}

/** States that the registry withholds texts since a time; nothing if it does not. */
export function withheldNote(since: string | null, what: string): Html | null {
  return since === null
    ? null
    : html`<div class="note warn"><p><strong>The registry withholds ${what} from everyone else</strong> since ${day(since)}. Contact its administrator.</p></div>`
}

/** A secret that is shown only once, with a button that copies it. */
export function secretBox(label: string, secret: string): Html {
  return html`<div class="note warn"><p><strong>${label}</strong> Copy it now: it is not shown again.</p>
<div class="row"><pre id="secret" tabindex="0" aria-label="${label}">${secret}</pre><button type="button" class="light" data-copy data-of="secret" hidden>Copy</button></div></div>`
}

/** A part of a page that the browser fetches again until it no longer changes; without a script, a link does. */
export function live(content: Html, isChanging: boolean): Html {
  return html`<div data-live="${isChanging ? 'changing' : 'done'}">${content}${isChanging && html`<noscript><p><a href="">Show the current state</a></p></noscript>`}</div>`
}
