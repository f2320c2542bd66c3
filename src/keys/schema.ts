import { z } from '@hono/zod-openapi'
import { PERMISSIONS, type Permission } from '../db/enums.ts'
import { TIER_KEY_LIMIT } from '../operators/tiers.ts'
import { count, isStorableTime, NAME_MAX, recordId, textField, timestamp } from '../wire/fields.ts'

const NAME_EXAMPLE = 'invoice-reader, production'
const PLATFORM_PERMISSIONS = ['read', 'activity:report'] as const satisfies readonly Permission[]
const LIMIT_MAX = TIER_KEY_LIMIT.enterprise

const permissions = (allowed: readonly Permission[]) =>
  z
    .array(z.enum(allowed, { error: `must be one of ${allowed.join(', ')}` }), { error: 'must be an array' })
    .min(1, 'must name at least one permission')
    .default(['read'])
    .transform((given) => allowed.filter((permission) => given.includes(permission)))
    .openapi({ example: ['activity:report'] })

const fields = {
  name: textField(NAME_MAX).openapi({ example: NAME_EXAMPLE }),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a time in ISO 8601' })
    .refine(isStorableTime, 'must be before the year 10000')
    .nullish()
    .openapi({ description: 'In the future; never, when left out', example: '2027-11-21T10:00:00Z' }),
}

/** Body of POST /operators/me/api-keys. */
export const keyInput = z.object({ ...fields, permissions: permissions(PERMISSIONS) }).openapi('ApiKeyInput')

/** Body of POST /platforms/{slug}/api-keys: what only an operator may do is not among its permissions. */
export const platformKeyInput = z
  .object({ ...fields, permissions: permissions(PLATFORM_PERMISSIONS) })
  .openapi('PlatformApiKeyInput')

/** Body of PATCH /operators/me/api-keys/{key_id}. */
export const keyChanges = z
  .object({
    name: textField(NAME_MAX).optional().openapi({ example: NAME_EXAMPLE }),
    rate_limit_per_minute: z
      .int({ error: 'must be a whole number' })
      .min(1, 'at least 1')
      .max(LIMIT_MAX, `at most ${LIMIT_MAX}`)
      .optional()
      .openapi({ description: 'Up to the maximum of your tier', example: 60 }),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'name or rate_limit_per_minute must be given',
  })
  .openapi('ApiKeyChanges', { description: 'At least one field' })

const shared = {
  id: recordId,
  name: z.string().openapi({ example: NAME_EXAMPLE }),
  key_prefix: z.string().openapi({ example: 'reg_live_4fJq0w2Z' }),
  permissions: z.array(z.enum(PERMISSIONS)).openapi({ example: ['activity:report'] }),
  rate_limit_per_minute: z.number().int().openapi({ example: 60 }),
  expires_at: timestamp.nullable().openapi({ example: null }),
  created_at: timestamp,
}

/** A fresh key: the only answer that shows it. */
export const keyCreated = z
  .object({ ...shared, key: z.string().openapi({ example: 'reg_live_4fJq0w2Z…' }) })
  .openapi('ApiKeyCreated')

/** A key as the list shows it. */
export const keyShown = z
  .object({
    ...shared,
    status: z.enum(['active', 'revoked']),
    last_used_at: timestamp.nullable(),
    requests_count: count(1_240),
    revoked_at: timestamp.nullable().openapi({ example: null }),
  })
  .openapi('ApiKey')

/** The answer to the revocation of a key. */
export const keyRevoked = z
  .object({ id: recordId, status: z.literal('revoked'), revoked_at: timestamp })
  .openapi('ApiKeyRevoked')

export type KeyChanges = z.infer<typeof keyChanges>
export type KeyInput = z.infer<typeof keyInput>
