import * as z from 'zod'
import { each, MAIL_OPT_OUTS, NOTIFICATION_PREFS, type NotificationPref } from '../db/enums.ts'
import { nameField, SHOWN_NAME, webUrl } from '../wire/fields.ts'

const HIDDEN = 'Not shown to anyone else'

export const PREF_TEXTS = {
  trust_alerts: 'Whether to notify when a trust score falls',
  incident_alerts: 'Whether to notify about incidents',
  weekly_digest: 'Whether to send the weekly digest',
  kyc_reminders: 'Whether to send reminders before the verification expires',
} as const satisfies Record<NotificationPref, string>

const preference = (pref: NotificationPref) =>
  z
    .boolean({ error: 'must be true or false' })
    .optional()
    .register(z.globalRegistry, { description: PREF_TEXTS[pref] })

export const operatorChanges = z
  .object({
    name: nameField.optional().register(z.globalRegistry, { description: SHOWN_NAME, example: 'Alice' }),
    company_name: nameField.nullable().optional().register(z.globalRegistry, {
      description: HIDDEN,
      example: 'Acme Ltd',
    }),
    company_url: webUrl.nullable().optional().register(z.globalRegistry, { description: HIDDEN }),
    avatar_url: webUrl
      .nullable()
      .optional()
      .register(z.globalRegistry, { description: 'URL of a picture; the registry never fetches it' }),
    notification_prefs: z
      .object(each(NOTIFICATION_PREFS, preference), { error: 'must be an object' })
      .optional()
      .register(z.globalRegistry, {
        description: 'Omitted settings keep their values',
        example: { weekly_digest: false },
      }),
    mail_opt_outs: z
      .array(z.enum(MAIL_OPT_OUTS, `each must be one of ${MAIL_OPT_OUTS.join(', ')}`), 'must be an array')
      .max(MAIL_OPT_OUTS.length, `at most ${MAIL_OPT_OUTS.length} types`)
      .optional()
      .register(z.globalRegistry, {
        description: 'All notification types that are not sent by email; replaces the current list',
        example: ['weekly_digest'],
      }),
  })
  .meta({ id: 'OperatorChanges', description: 'At least one field' })

export type OperatorChanges = z.infer<typeof operatorChanges>
