import * as z from 'zod'
import { PERMISSIONS, type Permission } from '../db/enums.ts'
import { QUOTAS } from '../db/tiers.ts'
import { POLICIES } from '../http/limits.ts'
import { nameField } from '../wire/fields.ts'
import { isoTime } from '../wire/moment.ts'

const KEY_NAME = 'Name of the key'
export const NAME_EXAMPLE = 'invoice-reader, production'

const PLATFORM_PERMISSIONS = ['read', 'activity:report'] as const satisfies readonly Permission[]

const LIMIT_MAX = QUOTAS.enterprise.key_requests_per_minute

export const permissions = (allowed: readonly Permission[]) =>
  z
    .array(z.enum(allowed, { error: `must be one of ${allowed.join(', ')}` }), {
      error: 'must be an array of permissions',
    })
    .min(1, 'must contain at least one permission')
    .default(['read'])
    .transform((given) => allowed.filter((permission) => given.includes(permission)))
    .register(z.globalRegistry, {
      description: 'Permissions of the key; `read` by default',
      example: ['activity:report'],
    })

// The maximum is that of the operator's tier.
const requests = () => z.int({ error: 'must be an integer' }).min(1, 'at least 1')

const fields = {
  name: nameField.meta({ description: KEY_NAME, example: NAME_EXAMPLE }),
  rate_limit_per_minute: requests()
    .nullish()
    .transform((given) => given ?? POLICIES.key.limit)
    .register(z.globalRegistry, {
      description: `Maximum number of requests per minute; at most the maximum of your tier. If omitted, ${POLICIES.key.limit}`,
      maximum: LIMIT_MAX,
      example: 60,
    }),
  expires_at: isoTime('must be an ISO 8601 time, such as 2027-01-31T00:00:00Z')
    .nullish()
    .register(z.globalRegistry, {
      description:
        'Time at which the key expires, in UTC unless it has an offset; must be in the future. If omitted, the key does not expire',
      example: '2027-11-21T10:00:00Z',
    }),
}

export const keyInput = z
  .object({ ...fields, permissions: permissions(PERMISSIONS) })
  .meta({ id: 'ApiKeyInput', description: 'API key to create' })

/** Body of POST /platforms/{slug}/api-keys: only permissions that a platform can have. */
export const platformKeyInput = z
  .object({ ...fields, permissions: permissions(PLATFORM_PERMISSIONS) })
  .meta({ id: 'PlatformApiKeyInput', description: 'API key to create for a platform' })

export const keyChanges = z
  .object({
    name: nameField.optional().register(z.globalRegistry, { description: KEY_NAME, example: NAME_EXAMPLE }),
    rate_limit_per_minute: requests().optional().register(z.globalRegistry, {
      description: 'Maximum number of requests per minute; at most the maximum of your tier',
      maximum: LIMIT_MAX,
      example: 60,
    }),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'must contain at least one of name, rate_limit_per_minute',
  })
  .meta({ id: 'ApiKeyChanges', description: 'At least one field' })

export type KeyChanges = z.infer<typeof keyChanges>

export type KeyInput = z.infer<typeof keyInput>
