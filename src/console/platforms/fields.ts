import { EVENT_TYPES } from '../../db/enums.ts'
import { fieldsOf, NO_PROBLEMS, type Problems, REQUIRED } from '../../pages/field.ts'
import { type Html, html } from '../../pages/html.ts'
import { MEANINGS } from '../../webhooks/manage/meanings.ts'
import type { Sent } from '../router.ts'

export const PLATFORM_FIELDS = ['slug', 'name', 'webhook_url', 'event_types', 'admission']

const ADMISSIONS = [
  ['open', 'Open', 'The platform receives the events of every agent that an operator registers on it.'],
  [
    'approval',
    'By approval',
    'Until you confirm an agent, you receive only its registration event, and your keys can neither report on it nor read its whole log.',
  ],
] as const

/** The values of a platform's form: submitted, or those of the platform. */
export interface Filled {
  slug: string
  name: string
  webhook_url: string | null
  event_types: readonly string[] | null
  admission: string
}

export const UNFILLED: Filled = { slug: '', name: '', webhook_url: '', event_types: null, admission: 'open' }

export function platformSent({ fields, all }: Sent): Filled {
  const { slug = '', name = '', webhook_url = '', events = '', admission = '' } = fields
  return {
    slug,
    name,
    webhook_url: webhook_url === '' ? null : webhook_url,
    event_types: events === 'all' ? null : all('event_types'),
    admission,
  }
}

const SLUG_HINT = 'Permanent identifier in URLs and in the API: 2 to 50 characters of a-z, 0-9, and hyphens'
const URL_HINT = 'An HTTPS URL that accepts POST requests. Without one, no events are sent.'

export function platformFields(filled: Filled, problems: Problems = NO_PROBLEMS, isNew = false): Html {
  const { slug, name, webhook_url, event_types, admission } = filled
  const { note, text } = fieldsOf({ slug, name, webhook_url }, problems)
  return html`${note}${text('name', 'Name', 'As everyone sees it', REQUIRED)}${isNew && text('slug', 'Slug', SLUG_HINT, REQUIRED)}
${text('webhook_url', 'Webhook URL', URL_HINT, { type: 'url' })}${eventTypes(event_types, problems.fields.event_types)}${admissions(admission, problems.fields.admission)}`
}

function eventTypes(wanted: Filled['event_types'], problem: string | undefined): Html {
  const described = problem && html` aria-describedby="event_types-problem"`
  return html`<fieldset id="event_types"${described}><legend>Events to send</legend>
${radio('events', 'all', wanted === null, 'All events', 'Including types that are added later')}
${radio('events', 'some', wanted !== null, 'Only these', '')}
<div class="inner">${EVENT_TYPES.map(
    (type, n) =>
      html`<div class="check"><input type="checkbox" id="event-${type}" name="event_types" value="${type}" aria-describedby="about-${type}"${wanted?.includes(type) && html` checked`}${n === 0 && problem && html` autofocus`}> <label for="event-${type}"><code>${type}</code></label> <span class="hint" id="about-${type}">${MEANINGS[type]}</span></div>`,
  )}</div>${problem && html`<div class="bad" id="event_types-problem">${problem}</div>`}</fieldset>`
}

function admissions(chosen: string, problem: string | undefined): Html {
  return html`<fieldset${problem && html` aria-describedby="admission-problem"`}><legend>Admission of agents</legend>${ADMISSIONS.map(
    ([value, label, meaning]) => radio('admission', value, value === chosen, label, meaning),
  )}${problem && html`<div class="bad" id="admission-problem">${problem}</div>`}</fieldset>`
}

function radio(name: string, value: string, isChosen: boolean, label: string, meaning: string): Html {
  const id = `${name}-${value}`
  return html`<div class="check"><input type="radio" id="${id}" name="${name}" value="${value}"${meaning && html` aria-describedby="${id}-hint"`}${isChosen && html` checked`}> <label for="${id}">${label}</label>${meaning && html` <span class="hint" id="${id}-hint">${meaning}</span>`}</div>`
}
