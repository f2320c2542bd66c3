import { z } from '@hono/zod-openapi'
import { NAME_MAX, requiredText, textField, timestamp, urlField } from '../http/fields.ts'
import { EVENT_TYPES } from '../webhooks/events.ts'

const SLUG = /^[a-z0-9-]{3,64}$/
const SLUG_RULE = 'must be 3 to 64 of a-z, 0-9 and -'
const SLUG_EXAMPLE = 'acme-market'
const WEBHOOK_URL_EXAMPLE = 'https://acme.example/hooks/registry'
const EVENT_TYPES_EXAMPLE = ['trust.updated', 'incident.created']

const eventTypes = z.array(z.enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` }))

/** The path parameter of a platform; `.extend(idParam(…).shape)` adds that of a record below it. */
export const slugParam = z.object({
  slug: z
    .string()
    .regex(SLUG, SLUG_RULE)
    .openapi({
      param: { name: 'slug', in: 'path' },
      description: 'Slug of the platform',
      example: SLUG_EXAMPLE,
    }),
})

/** Body of POST /platforms. */
export const platformInput = z
  .object({
    slug: z
      .string({ error: requiredText })
      .regex(SLUG, SLUG_RULE)
      .openapi({ description: 'Names the platform for ever', example: SLUG_EXAMPLE }),
    name: textField(NAME_MAX).openapi({ example: 'Acme Market' }),
    webhook_url: urlField()
      .nullish()
      .openapi({ description: 'HTTPS; no webhooks, when left out', example: WEBHOOK_URL_EXAMPLE }),
    event_types: eventTypes
      .min(1, 'must name at least one type, or be null for all')
      .nullish()
      .transform((types) => (types ? [...new Set(types)] : null))
      .openapi({ description: 'All types, when left out', example: EVENT_TYPES_EXAMPLE }),
  })
  .openapi('PlatformInput')

/** The answer to POST /platforms: the only one that shows the secret. */
export const platformCreated = z
  .object({
    slug: z.string().openapi({ example: SLUG_EXAMPLE }),
    name: z.string().openapi({ example: 'Acme Market' }),
    webhook_url: z.string().nullable().openapi({ example: WEBHOOK_URL_EXAMPLE }),
    event_types: z.array(z.string()).nullable().openapi({ example: EVENT_TYPES_EXAMPLE }),
    webhook_status: z.enum(['enabled', 'disabled']),
    webhook_secret: z.string().openapi({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=' }),
    created_at: timestamp,
  })
  .openapi('PlatformCreated')
