import * as z from 'zod'
import { NOTIFICATION_TYPES } from '../db/enums.ts'
import { nameField, webUrl } from '../wire/fields.ts'

const preference = z.boolean({ error: 'must be true or false' }).optional()

/** Body of PATCH /operators/me. */
export const operatorChanges = z
  .object({
    name: nameField.optional().register(z.globalRegistry, { example: 'Alice' }),
    company_name: nameField.nullable().optional().register(z.globalRegistry, { example: 'Acme Ltd' }),
    company_url: webUrl.nullable().optional(),
    avatar_url: webUrl.nullable().optional(),
    notification_prefs: z
      .object(
        {
          trust_alerts: preference,
          incident_alerts: preference,
          weekly_digest: preference,
          kyc_reminders: preference,
        },
        { error: 'must be an object' },
      )
      .optional()
      .register(z.globalRegistry, {
        description: 'Omitted settings keep their values',
        example: { weekly_digest: false },
      }),
    mail_opt_outs: z
      .array(
        z.enum(NOTIFICATION_TYPES, `each must be one of ${NOTIFICATION_TYPES.join(', ')}`),
        'must be an array',
      )
      .max(NOTIFICATION_TYPES.length, `at most ${NOTIFICATION_TYPES.length} types`)
      .optional()
      .register(z.globalRegistry, {
        description: 'All notification types that are not sent by email; replaces the current list',
        example: ['weekly_digest'],
      }),
  })
  .meta({ id: 'OperatorChanges', description: 'At least one field' })

export type OperatorChanges = z.infer<typeof operatorChanges>
