import { z } from '@hono/zod-openapi'
import { PERMISSIONS } from '../http/context.ts'
import { textField, timestamp } from '../http/fields.ts'
import { TIER_KEY_LIMIT } from '../operators/tiers.ts'

const NAME_MAX = 255
const LIMIT_MAX = TIER_KEY_LIMIT.enterprise

const permissions = z.array(z.enum(PERMISSIONS, { error: `must be one of ${PERMISSIONS.join(', ')}` }), {
  error: 'must be an array',
})

/** Body of POST /operators/me/api-keys. */
export const keyInput = z
  .object({
    name: textField(NAME_MAX),
    permissions: permissions
      .min(1, 'must name at least one permission')
      .default(['read'])
      .transform((given) => PERMISSIONS.filter((permission) => given.includes(permission))),
    expires_at: z.iso.datetime({ offset: true, error: 'must be a time in ISO 8601' }).nullish(),
  })
  .openapi('ApiKeyInput')

/** Body of PATCH /operators/me/api-keys/{key_id}. */
export const keyChanges = z
  .object({
    name: textField(NAME_MAX).optional(),
    rate_limit_per_minute: z
      .int({ error: 'must be a whole number' })
      .min(1, 'at least 1')
      .max(LIMIT_MAX, `at most ${LIMIT_MAX}`)
      .optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'name or rate_limit_per_minute must be given',
  })
  .openapi('ApiKeyChanges')

const shared = {
  id: z.uuid(),
  name: z.string(),
  key_prefix: z.string().openapi({ example: 'reg_live_4fJq0w2Z' }),
  permissions: z.array(z.enum(PERMISSIONS)),
  rate_limit_per_minute: z.number().int().openapi({ example: 60 }),
  expires_at: timestamp.nullable(),
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
    requests_count: z.number().int(),
    revoked_at: timestamp.nullable(),
  })
  .openapi('ApiKey')

/** The answer to the revocation of a key. */
export const keyRevoked = z
  .object({ id: z.uuid(), status: z.literal('revoked'), revoked_at: timestamp })
  .openapi('ApiKeyRevoked')

export type KeyInput = z.infer<typeof keyInput>
