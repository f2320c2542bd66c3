import { z } from '@hono/zod-openapi'
import { PERMISSIONS } from '../http/context.ts'
import { textField, timestamp } from '../http/fields.ts'

const NAME_MAX = 255

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

/** A fresh key: the only answer that shows it. */
export const keyCreated = z
  .object({
    id: z.uuid(),
    name: z.string(),
    key: z.string().openapi({ example: 'reg_live_4fJq0w2Z…' }),
    key_prefix: z.string().openapi({ example: 'reg_live_4fJq0w2Z' }),
    permissions: z.array(z.enum(PERMISSIONS)),
    rate_limit_per_minute: z.number().int(),
    expires_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .openapi('ApiKeyCreated')
