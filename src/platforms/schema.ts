import { z } from '@hono/zod-openapi'
import { EVENT_TYPES } from '../db/enums.ts'
import {
  count,
  NAME_MAX,
  requiredText,
  SLUG,
  SLUG_EXAMPLE,
  SLUG_RULE,
  textField,
  timestamp,
  urlField,
} from '../wire/fields.ts'

const NAME_EXAMPLE = 'Acme Market'
const WEBHOOK_URL_EXAMPLE = 'https://acme.example/hooks/registry'
const EVENT_TYPES_EXAMPLE = ['trust.updated', 'incident.created']

const webhookSecret = z
  .string()
  .openapi({ description: 'Shown this once', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=' })

/** The wanted types, each once and in the order of the interface, so that the same wish is the same value. */
const eventTypes = z
  .array(z.enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` }), {
    error: 'must be an array, or null for all',
  })
  .min(1, 'must name at least one type, or be null for all')
  .nullish()
  .transform((types) => types && EVENT_TYPES.filter((type) => types.includes(type)))

/** Body of POST /platforms. */
export const platformInput = z
  .object({
    slug: z
      .string({ error: requiredText })
      .regex(SLUG, SLUG_RULE)
      .openapi({ description: 'Names the platform for ever', example: SLUG_EXAMPLE }),
    name: textField(NAME_MAX).openapi({ example: NAME_EXAMPLE }),
    webhook_url: urlField()
      .nullish()
      .openapi({ description: 'HTTPS; no webhooks, when left out', example: WEBHOOK_URL_EXAMPLE }),
    event_types: eventTypes.openapi({
      description: 'All types, when left out',
      example: EVENT_TYPES_EXAMPLE,
    }),
  })
  .openapi('PlatformInput')

/** Body of PATCH /platforms/{slug}. */
export const platformChanges = z
  .object({
    name: textField(NAME_MAX).optional().openapi({ example: NAME_EXAMPLE }),
    webhook_url: urlField()
      .nullish()
      .openapi({ description: 'HTTPS; null ends the webhooks', example: WEBHOOK_URL_EXAMPLE }),
    event_types: eventTypes.openapi({ description: 'null for all types', example: EVENT_TYPES_EXAMPLE }),
    webhook_status: z.enum(['enabled'], { error: "may only be set to 'enabled'" }).optional().openapi({
      description: 'Enables a disabled webhook; what was skipped stays so until it is recovered',
    }),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'name, webhook_url, event_types or webhook_status must be given',
  })
  .openapi('PlatformChanges', { description: 'At least one field' })

const publicFields = {
  slug: z.string().openapi({ example: SLUG_EXAMPLE }),
  name: z.string().openapi({ example: NAME_EXAMPLE }),
  created_at: timestamp,
}

const webhookFields = {
  webhook_url: z
    .string()
    .nullable()
    .openapi({ description: 'Where webhooks go; null: nowhere', example: WEBHOOK_URL_EXAMPLE }),
  event_types: z
    .array(z.enum(EVENT_TYPES))
    .nullable()
    .openapi({ description: 'The types that are sent; null: all', example: EVENT_TYPES_EXAMPLE }),
  webhook_status: z.enum(['enabled', 'disabled']).openapi({
    description: 'Disabled after repeated failures; what happens until it is enabled, is skipped',
  }),
}

/** The answer to POST /platforms: it shows the secret. */
export const platformCreated = z
  .object({ ...publicFields, ...webhookFields, webhook_secret: webhookSecret })
  .openapi('PlatformCreated')

/** A platform as anybody sees it. */
export const platformProfile = z.object(publicFields).openapi('PlatformProfile')

/** A platform as the operator sees it who registered it. */
export const platform = z
  .object({
    ...publicFields,
    ...webhookFields,
    failed_in_row: count(0, 'Deliveries that failed since the last success'),
    failing_since: timestamp
      .nullable()
      .openapi({ description: 'When the first of them failed', example: null }),
    previous_secret_expires_at: timestamp
      .nullable()
      .openapi({ description: 'Until when the secret before the last rotation signs too', example: null }),
  })
  .openapi('Platform')

/** The answer to POST /platforms/{slug}/webhook-secret: it shows the new secret. */
export const secretRotated = z
  .object({
    slug: publicFields.slug,
    webhook_secret: webhookSecret,
    previous_secret_expires_at: timestamp.openapi({
      description: 'Until when the secret before this one signs too',
      example: '2026-11-22T10:00:00.000Z',
    }),
  })
  .openapi('WebhookSecretRotated')

export type PlatformChanges = z.infer<typeof platformChanges>
