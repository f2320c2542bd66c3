import * as z from 'zod'
import { PERMISSIONS, type Permission } from '../db/enums.ts'
import { QUOTAS } from '../db/tiers.ts'
import { lazy } from '../lib/lazy.ts'
import { isStorableTime, nameField } from '../wire/fields.ts'
import { rule } from '../wire/rule.ts'

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
    .register(z.globalRegistry, { example: ['activity:report'] })

const fields = lazy(() => ({
  name: nameField().meta({ example: NAME_EXAMPLE }),
  expires_at: z.iso
    .datetime({
      offset: true,
      error: 'must be an ISO 8601 time with a UTC offset, such as 2027-01-31T00:00:00Z',
    })
    .check(rule(isStorableTime, 'must be before the year 10000'))
    .nullish()
    .register(z.globalRegistry, {
      description:
        'Time at which the key expires; must be in the future. If omitted, the key does not expire',
      example: '2027-11-21T10:00:00Z',
    }),
}))

/** Body of POST /operators/me/api-keys. */
export const keyInput = lazy(() =>
  z.object({ ...fields(), permissions: permissions(PERMISSIONS) }).meta({ id: 'ApiKeyInput' }),
)

/** Body of POST /platforms/{slug}/api-keys: only permissions that a platform can have. */
export const platformKeyInput = lazy(() =>
  z
    .object({ ...fields(), permissions: permissions(PLATFORM_PERMISSIONS) })
    .meta({ id: 'PlatformApiKeyInput' }),
)

/** Body of PATCH /operators/me/api-keys/{key_id}. */
export const keyChanges = lazy(() =>
  z
    .object({
      name: nameField().optional().register(z.globalRegistry, { example: NAME_EXAMPLE }),
      rate_limit_per_minute: z
        .int({ error: `must be an integer from 1 to ${LIMIT_MAX}` })
        .min(1, 'at least 1')
        .max(LIMIT_MAX, `at most ${LIMIT_MAX}`)
        .optional()
        .register(z.globalRegistry, {
          description: 'Maximum number of requests per minute; at most the maximum of your tier',
          example: 60,
        }),
    })
    .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
      error: 'must contain at least one of name, rate_limit_per_minute',
    })
    .meta({ id: 'ApiKeyChanges', description: 'At least one field' }),
)

export type KeyChanges = z.infer<ReturnType<typeof keyChanges>>

export type KeyInput = z.infer<ReturnType<typeof keyInput>>
