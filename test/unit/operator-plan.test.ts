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

it('a change of an operator contains only what differs', () => {
  expect(planChange(found, { name: 'Alice', company_name: 'Acme' })).toEqual({
    set: { company_name: 'Acme' },
    fields: ['company_name'],
  })
  expect(planChange(found, { name: 'Alice', notification_prefs: { trust_alerts: true } })).toBeNull()
})

it('a new name ends its verification', () => {
  expect(planChange(found, { name: 'Bob' })).toEqual({
    set: { name: 'Bob', name_verified_at: null },
    fields: ['name'],
  })
})

it('preferences are merged, and opt-outs are replaced, in order and without repetition', () => {
  expect(planChange(found, { notification_prefs: { weekly_digest: false } })?.set).toEqual({
    notification_prefs: { ...found.notification_prefs, weekly_digest: false },
  })
  const opt_outs = ['weekly_digest', 'trust_alert', 'weekly_digest'] as const
  expect(planChange(found, { mail_opt_outs: [...opt_outs] })?.set).toEqual({
    mail_opt_outs: ['trust_alert', 'weekly_digest'],
  })
})
