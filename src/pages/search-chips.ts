import { FOUND_STANDINGS } from '../agents/search-store.ts'
import type { RecordStanding } from '../db/enums.ts'
import { STANDING_WORDS } from '../trust/standing.ts'
import { type Html, html } from './html.ts'
import { addressOf, type Requested } from './search-query.ts'
import { LOOKS } from './standing.ts'

/** The filters that are one click away: their values and labels. */
const CHIPS = {
  ownership_status: [
    ['verified', '✓ verified domain'],
    ['unverified', 'no verified domain'],
  ],
  class: [
    ['A', 'A · autonomous'],
    ['S', 'S · semi-autonomous'],
    ['H', 'H · human-assisted'],
  ],
  standing: FOUND_STANDINGS.map((one) => [one, STANDING_WORDS[one]] as const),
} as const

/** Whether a parameter is chosen by a link, not in the form. */
export const isOnChip = (name: string) => name in CHIPS || name === 'order'

const ORDERS = [
  ['', 'best match'],
  ['score', 'score'],
  ['newest', 'newest'],
] as const

/** Links that add or remove a filter of a search, and links to its orders. */
export function searchChips(given: Requested['given']): Html {
  const chips = Object.entries(CHIPS).flatMap(([name, values]) =>
    values.map(([value, label]) => chip(given, name, value, label)),
  )
  const orders = given.q ? ORDERS : ORDERS.slice(1)
  return html`<nav aria-label="Filters"><ul class="plain chips">${chips}</ul></nav>
<nav aria-label="Order"><ul class="plain"><li class="quiet">Order</li>${orders.map(([value, label]) => {
    const isOn = (given.order ?? orders[0]?.[0]) === value
    return html`<li><a href="${changed(given, 'order', value)}"${isOn && html` aria-current="true"`}>${label}</a></li>`
  })}</ul></nav>`
}

function chip(given: Requested['given'], name: string, value: string, label: string): Html {
  const isOn = given[name] === value
  const look = name === 'standing' && LOOKS[value as RecordStanding]
  return html`<li><a class="tag${look && ` is-${value}`}" href="${changed(given, name, isOn ? '' : value)}"${isOn && html` aria-current="true"`}>${look && html`<span aria-hidden="true">${look.icon}</span> `}${label}${isOn && html` <span aria-hidden="true">×</span>`}</a></li>`
}

function changed(given: Requested['given'], name: string, value: string): string {
  const { [name]: _, ...others } = given
  return addressOf('/agents', value === '' ? others : { ...others, [name]: value })
}
