import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { ADMISSIONS, EVENT_TYPES, PLATFORM_STATUSES, WEBHOOK_STATUSES } from '../db/enums.ts'
import { CLAIM, count, pageOf, timestamp } from '../wire/answers.ts'
import { SLUG_EXAMPLE } from '../wire/fields.ts'
import { ADMISSION, EVENT_TYPES_EXAMPLE, NAME_EXAMPLE, WEBHOOK_URL_EXAMPLE } from './schema.ts'

const webhookSecret = z
  .string()
  .meta({ description: 'Shown this once', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=' })

const publicFields = {
  slug: z.string().meta({ example: SLUG_EXAMPLE }),
  name: z.string().meta({ description: CLAIM, example: NAME_EXAMPLE }),
  status: z.enum(PLATFORM_STATUSES).meta({
    description:
      'retired: permanently; it takes no agents, reports nothing and is sent nothing, and its slug stays taken',
  }),
  admission: z.enum(ADMISSIONS).meta({ description: ADMISSION }),
  established_at: timestamp.nullable().meta({
    description:
      'When enough verified operators had worked with it: from then on its reports are of source independent where they were of source peer; null: not yet',
    example: null,
  }),
  distrusted_at: timestamp.nullable().meta({
    description:
      'From when on its reports are of source peer at best, by a decision of the registry; null: they are not',
    example: null,
  }),
  created_at: timestamp,
}

const webhookFields = {
  webhook_url: z
    .string()
    .nullable()
    .meta({ description: 'Where webhooks go; null: nowhere', example: WEBHOOK_URL_EXAMPLE }),
  event_types: z
    .array(z.enum(EVENT_TYPES))
    .nullable()
    .meta({ description: 'The types that are sent; null: all', example: EVENT_TYPES_EXAMPLE }),
  webhook_status: z.enum(WEBHOOK_STATUSES).meta({
    description:
      'Disabled after repeated failures, or after 50 attempts while its URL has never answered 2xx; what happens until it is enabled, is skipped',
  }),
}

/** The answer to POST /platforms: it shows the secret. */
export const platformCreated = z
  .object({ ...publicFields, ...webhookFields, webhook_secret: webhookSecret })
  .meta({ id: 'PlatformCreated' })

/** A platform as anybody sees it. */
const platformProfile = z.object(publicFields).meta({ id: 'PlatformProfile' })

/** A platform as the operator sees it who registered it. */
export const platform = z
  .object({
    ...publicFields,
    ...webhookFields,
    answered_at: timestamp.nullable().meta({
      description: 'When this URL first answered 2xx; null: never',
      example: null,
    }),
    unanswered_attempts: count(
      0,
      'Attempts so far while this URL has never answered 2xx; at 50 it is disabled',
    ),
    failed_in_row: count(0, 'Deliveries that failed since the last success'),
    failing_since: timestamp.nullable().meta({ description: 'When the first of them failed', example: null }),
    previous_secret_expires_at: timestamp
      .nullable()
      .meta({ description: 'Until when the secret before the last rotation signs too', example: null }),
  })
  .meta({ id: 'Platform' })

/** The answer to POST /platforms/{slug}/webhook-secret: it shows the new secret. */
export const secretRotated = z
  .object({
    slug: publicFields.slug,
    webhook_secret: webhookSecret,
    previous_secret_expires_at: timestamp.meta({
      description: 'Until when the secret before this one signs too',
      example: '2026-11-22T10:00:00.000Z',
    }),
  })
  .meta({ id: 'WebhookSecretRotated' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  registerPlatform: {
    tag: 'Platforms',
    summary: 'Register a platform; its webhook secret is shown this once',
    description:
      'Webhooks are signed with the secret of this answer: `X-REG-Signature` is `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in hex.',
    responses: { 201: json(platformCreated, 'The registered platform') },
    errors: ['CONFLICT'],
  },
  listPlatforms: {
    tag: 'Platforms',
    summary: "The operator's platforms with the state of their webhooks, newest first",
    responses: { 200: json(pageOf(platform), 'A page of platforms') },
  },
  getPlatform: {
    tag: 'Platforms',
    summary:
      'A platform: its name, status and admission for anybody, and all but its secret for its operator',
    description:
      'The operator who registered the platform sees the whole of it with a session. Everybody else, and any API key, sees its public part.',
    responses: { 200: json(z.union([platformProfile, platform]), 'The platform') },
    errors: ['NOT_FOUND'],
  },
  updatePlatform: {
    tag: 'Platforms',
    summary: 'Change a platform, or enable its webhook again',
    description:
      'A URL holds from the next attempt of each delivery, types and admission from the next event. Enabling a webhook, or giving it another URL, sets its failures to zero; what was skipped meanwhile stays so. 409 once the platform is retired.',
    responses: { 200: json(platform, 'The changed platform') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  retirePlatform: {
    tag: 'Platforms',
    summary: 'Retire a platform, permanently',
    description:
      'Its API keys are revoked, no webhook is sent any more (waiting deliveries become `skipped`, at the latest when they are due), and it takes no agents. Its agents stay on it, shown with `platform_state: "retired"`, and may leave at once. The slug stays taken. A second call answers the same.',
    responses: { 200: json(platform, 'The retired platform') },
    errors: ['NOT_FOUND'],
  },
  rotateWebhookSecret: {
    tag: 'Platforms',
    summary: 'Exchange the webhook secret; the new one is shown this once',
    description:
      'For 24 hours `webhook-signature` carries a value of the previous secret too; `X-REG-Signature` is made with the new one at once. A second exchange within that time ends the oldest secret.',
    responses: { 200: json(secretRotated, 'The new secret') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} satisfies Answers
