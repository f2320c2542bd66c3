import * as z from 'zod'
import { ADMISSIONS, EVENT_TYPES } from '../db/enums.ts'
import { isReservedSlug } from '../lib/slug.ts'
import { nameField, SHOWN_NAME, SLUG_EXAMPLE, slugField, urlField } from '../wire/fields.ts'

export const NAME_EXAMPLE = 'Acme Market'

export const WEBHOOK_URL_EXAMPLE = 'https://acme.example/hooks/registry'

export const EVENT_TYPES_EXAMPLE = ['trust.updated', 'incident.created']

/** Event types without duplicates, in a fixed order: equal selections have equal values. */
const eventTypes = z
  .array(z.enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` }), {
    error: 'must be an array of event types, or null for all',
  })
  .min(1, 'must contain at least one event type, or be null for all')
  .nullish()
  .transform((types) => types && EVENT_TYPES.filter((type) => types.includes(type)))

export const ADMISSION =
  '`open`: the platform receives all webhook events about every agent whose operator states that it is on the platform. `approval`: for an agent that it has not confirmed, the platform receives only `agent.registered`, and its keys can neither report on that agent nor read more of its activity log than the public can'

const admission = z.enum(ADMISSIONS, { error: `must be ${ADMISSIONS.join(' or ')}` }).optional()

export const platformInput = z
  .object({
    slug: slugField
      .refine((slug) => !isReservedSlug(slug), {
        error: ({ input }) => `'${input}' is reserved; choose another`,
      })
      .register(z.globalRegistry, {
        description: 'Permanent identifier of the platform; some words are reserved',
        example: SLUG_EXAMPLE,
      }),
    name: nameField.meta({ description: SHOWN_NAME, example: NAME_EXAMPLE }),
    webhook_url: urlField.nullish().register(z.globalRegistry, {
      description: 'HTTPS URL that receives webhooks; none, if omitted',
      example: WEBHOOK_URL_EXAMPLE,
    }),
    event_types: eventTypes.meta({
      description: 'Event types to send; all, if omitted',
      example: EVENT_TYPES_EXAMPLE,
    }),
    admission: admission.meta({ description: `${ADMISSION}. \`open\`, if omitted`, example: 'approval' }),
  })
  .meta({ id: 'PlatformInput', description: 'Platform to register' })

export const platformChanges = z
  .object({
    name: nameField.optional().register(z.globalRegistry, { description: SHOWN_NAME, example: NAME_EXAMPLE }),
    webhook_url: urlField.nullish().register(z.globalRegistry, {
      description: 'HTTPS URL that receives webhooks; null stops them',
      example: WEBHOOK_URL_EXAMPLE,
    }),
    event_types: eventTypes.meta({
      description: 'Event types to send; null for all',
      example: EVENT_TYPES_EXAMPLE,
    }),
    admission: admission.meta({ description: ADMISSION, example: 'approval' }),
    webhook_status: z
      .enum(['enabled'], { error: "can only be set to 'enabled'" })
      .optional()
      .register(z.globalRegistry, {
        description:
          'Enables a disabled webhook; skipped deliveries remain skipped; to deliver their events, use `recover` or `redeliver`',
      }),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'must contain at least one of name, webhook_url, event_types, admission, webhook_status',
  })
  .meta({ id: 'PlatformChanges', description: 'At least one field' })

export type PlatformInput = z.infer<typeof platformInput>

export type PlatformChanges = z.infer<typeof platformChanges>
