import { MAIL_OPT_OUTS } from '../../db/enums.ts'
import { KINDS } from '../../mail/kinds.ts'
import { fieldsOf, type Problems } from '../../pages/field.ts'
import { capitalized, type Html, html } from '../../pages/html.ts'
import type { Sent } from '../router.ts'
import type { Account } from './store.ts'

const PREFS = [
  ['trust_alerts', capitalized(KINDS.trust_alert.label)],
  ['incident_alerts', capitalized(KINDS.incident_alert.label)],
  ['weekly_digest', capitalized(KINDS.weekly_digest.label)],
  ['kyc_reminders', capitalized(KINDS.kyc_reminder.label)],
] as const

/** The API input for preferences, from a submitted form: an unchecked box means off. */
export function prefsSent({ all }: Sent) {
  const [ticked, mailed] = [all('prefs'), all('mail')]
  return {
    notification_prefs: Object.fromEntries(PREFS.map(([name]) => [name, ticked.includes(name)])),
    mail_opt_outs: MAIL_OPT_OUTS.filter((type) => !mailed.includes(type)),
  }
}

/** The form fields of a profile. Company and picture, which the API stores, are not asked for: nobody else sees them. */
export function profileFields(values: { name?: string }, problems?: Problems): Html {
  const { note, text } = fieldsOf(values, problems)
  return html`${note}${text('name', 'Name', 'Public, on each of your agents', { required: true, autocomplete: 'name' })}<button>Save changes</button>`
}

export function prefsFields({ operator }: Account): Html {
  const { checks } = fieldsOf({})
  const on = PREFS.map(([name]) => name).filter((name) => operator.notification_prefs[name])
  const mailed = MAIL_OPT_OUTS.filter((type) => !operator.mail_opt_outs.includes(type))
  const mails = MAIL_OPT_OUTS.map((type) => [type, capitalized(KINDS[type].label)] as const)
  return html`${checks('prefs', 'Notify me about', PREFS, on)}${checks('mail', 'Also by email', mails, mailed)}<button class="light">Save notifications</button>`
}
