import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { ADMISSIONS, EVENT_TYPES, PLATFORM_STATUSES, WEBHOOK_STATUSES } from '../db/enums.ts'
import { agentOperator } from '../wire/agent-fields.ts'
import { SLUG_EXAMPLE } from '../wire/fields.ts'
import { CLAIM, count, pageOf, textsWithheldAt, timeOrNull, timestamp, withheld } from '../wire/responses.ts'
import { ADMISSION, EVENT_TYPES_EXAMPLE, NAME_EXAMPLE, WEBHOOK_URL_EXAMPLE } from './schema.ts'

const webhookSecret = z.string().meta({
  description: 'Secret that signs the webhooks; returned only once',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=',
})

const publicFields = {
  slug: z.string().meta({ description: 'Permanent slug of the platform', example: SLUG_EXAMPLE }),
  name: z.string().meta({ description: CLAIM, example: NAME_EXAMPLE }),
  status: z.enum(PLATFORM_STATUSES).meta({
    description:
      '`retired` is permanent: the platform accepts no agents, cannot report, and receives no webhooks; its slug remains reserved',
  }),
  admission: z.enum(ADMISSIONS).meta({ description: ADMISSION }),
  established_at: timeOrNull(
    'When the platform became established, because enough verified operators had worked with it. Its reports since then have the source `independent` instead of `peer`. Null if it is not established',
    null,
  ),
  distrusted_at: timeOrNull(
    'When the registry began to distrust the platform. Its reports since then cannot have the source `independent`, nor can those of other platforms of the same person. Null if it is not distrusted',
    null,
  ),
  created_at: timestamp.meta({ description: 'Time of the registration' }),
}

const webhookFields = {
  webhook_url: z
    .string()
    .nullable()
    .meta({ description: 'URL that receives webhooks; null if none', example: WEBHOOK_URL_EXAMPLE }),
  event_types: z
    .array(z.enum(EVENT_TYPES))
    .nullable()
    .meta({ description: 'Event types that are sent; null for all', example: EVENT_TYPES_EXAMPLE }),
  webhook_status: z.enum(WEBHOOK_STATUSES).meta({
    description:
      '`disabled` after repeated failures, after 50 attempts if the URL has never returned 2xx, or after a response with status 410. Events are skipped until the webhook is enabled again',
  }),
}

export const platformCreated = z
  .object({ ...publicFields, ...webhookFields, webhook_secret: webhookSecret })
  .meta({ id: 'PlatformCreated', description: 'New platform, including its webhook secret' })

const platformProfile = z
  .object({ ...publicFields, operator_status: agentOperator.operator_status, withheld })
  .meta({ id: 'PlatformProfile', description: 'Public record of a platform' })

export const platform = z
  .object({
    ...publicFields,
    texts_withheld_at: textsWithheldAt('platform'),
    ...webhookFields,
    last_response_at: timeOrNull(
      'When `webhook_url` last returned 2xx, to the minute; null if it never did',
      null,
    ),
    attempts_without_response: count(
      0,
      'Number of failed attempts since any URL of the platform last returned 2xx, counted while the current URL has never returned 2xx; from 50 on, the webhook is disabled',
    ),
    consecutive_failures: count(0, 'Number of deliveries that failed since the last success'),
    failing_since: timeOrNull(
      'When the first of the `consecutive_failures` deliveries failed; null if there are none',
      null,
    ),
    webhook_paused_until: timeOrNull(
      'Time until which events are skipped because your platforms made 180 attempts to URLs that have never returned 2xx on this UTC day; null if the URL has returned 2xx, or fewer were made',
      null,
    ),
    previous_secret_expires_at: timeOrNull(
      'Time until which webhooks are also signed with the previous secret; null if they are signed only with the current one',
      null,
    ),
  })
  .meta({ id: 'Platform', description: 'Platform, as shown to the operator who registered it' })

/** The larger schema comes first: clients that use the first matching one would drop its additional fields. */
const anyPlatform = z.union([platform, platformProfile]).meta({
  id: 'AnyPlatform',
  description:
    '`Platform` for the operator who registered the platform; it is the only one with `webhook_status`. `PlatformProfile` for everyone else',
})

const PROFILE: z.infer<typeof platformProfile> = {
  slug: SLUG_EXAMPLE,
  name: NAME_EXAMPLE,
  status: 'active',
  admission: 'open',
  established_at: null,
  distrusted_at: null,
  created_at: '2026-11-21T10:00:00.000Z',
  operator_status: 'active',
}

export const secretRotated = z
  .object({
    slug: publicFields.slug,
    webhook_secret: webhookSecret,
    previous_secret_expires_at: timestamp.meta({
      description: 'Time until which webhooks are also signed with the previous secret',
      example: '2026-11-22T10:00:00.000Z',
    }),
  })
  .meta({ id: 'WebhookSecretRotated', description: 'New webhook secret' })

const platformPage = pageOf(platform).meta({ id: 'PlatformPage', description: 'Page of platforms' })

export const responses = describeRoutes('Platforms', {
  registerPlatform: {
    summary: 'Register a platform; its webhook secret is returned only once',
    description:
      'Webhooks are signed with the secret in this response: `X-REG-Signature` is `sha256=` followed by the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex.',
    responses: { 201: json(platformCreated, 'The registered platform') },
    errors: ['CONFLICT'],
  },
  listPlatforms: {
    summary: "List the operator's platforms, newest first",
    description: 'Includes retired platforms. Webhook secrets are never listed.',
    responses: { 200: json(platformPage, 'A page of platforms') },
  },
  getPlatform: {
    summary: 'Get a platform',
    description:
      'With a session, the operator who registered the platform gets all fields except the webhook secret. Everyone else, and any API key, gets the public fields.',
    responses: { 200: json(anyPlatform, 'The platform', PROFILE) },
    errors: ['NOT_FOUND'],
  },
  updatePlatform: {
    summary: 'Update a platform, or enable its webhook again',
    description:
      'A new URL applies from the next attempt of each delivery; changes to `event_types` and `admission` apply from the next webhook event. Enabling the webhook or changing its URL resets `consecutive_failures` to zero. Only a 2xx response resets `attempts_without_response`: from 50 on, one more failed attempt disables the webhook again, so send a test event first. Skipped deliveries remain skipped; to deliver their events, use `recover` or `redeliver`. The endpoint returns 409 if the platform is retired.',
    responses: { 200: json(platform, 'The updated platform') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  retirePlatform: {
    summary: 'Retire a platform, permanently',
    description:
      'The API keys of the platform are revoked, and it accepts no more agents. No more webhooks are sent; each pending delivery becomes `skipped` no later than its `next_attempt_at`. The agents remain on the platform with `platform_state: "retired"` and can leave immediately. The slug remains reserved. Retiring a platform again returns the same response.',
    responses: { 200: json(platform, 'The retired platform') },
    errors: ['NOT_FOUND'],
  },
  rotateWebhookSecret: {
    summary: 'Rotate the webhook secret; the new secret is returned only once',
    description:
      'For 24 hours, `webhook-signature` also contains a signature made with the previous secret; `X-REG-Signature` uses the new secret immediately. A second rotation within that time makes the oldest secret invalid immediately.',
    responses: { 200: json(secretRotated, 'The new secret') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
})
