import { expect, it } from 'vitest'
import { type Changeable, planChange } from '../../src/operators/change-plan.ts'

const found: Changeable = {
  name: 'Alice',
  company_name: null,
  company_url: null,
  avatar_url: null,
  notification_prefs: { trust_alerts: true, weekly_digest: true, kyc_reminders: true, incident_alerts: true },
  mail_opt_outs: ['trust_alert'],
}

it('a change of an operator contains what was given, and the names of what differs', () => {
  expect(planChange(found, { name: 'Alice', company_name: 'Acme' })).toEqual({
    given: { name: 'Alice', company_name: 'Acme' },
    fields: ['company_name'],
  })
  expect(planChange(found, { name: 'Alice', notification_prefs: { trust_alerts: true } })).toBeNull()
})

it('preferences that are not given stay, and opt-outs are replaced, in order and without repetition', () => {
  expect(planChange(found, { notification_prefs: { weekly_digest: false } })).toEqual({
    given: { notification_prefs: { weekly_digest: false } },
    fields: ['notification_prefs'],
  })
  const opt_outs = ['weekly_digest', 'trust_alert', 'weekly_digest'] as const
  expect(planChange(found, { mail_opt_outs: [...opt_outs] })?.given).toEqual({
    mail_opt_outs: ['trust_alert', 'weekly_digest'],
  })
})
