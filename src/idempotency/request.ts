import * as z from 'zod'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { sha256, sha256Bytes } from '../lib/crypto.ts'
import { textField } from '../wire/fields.ts'
import type { Prior, Repeatable } from './store.ts'

const KEY_MAX = 255

/** The header `Idempotency-Key`, with which a POST can be repeated safely. */
export const idempotencyHeaders = z.object({
  'idempotency-key': textField(KEY_MAX).optional().register(z.globalRegistry, {
    description: 'For 24 hours, a request with the same key and body returns the response to the first one',
    example: 'order-4711',
  }),
})

/** The key under which this request can be repeated; null if it has no Idempotency-Key. */
export async function toRepeatable(c: Ctx, key: string | undefined, now: Date): Promise<Repeatable | null> {
  if (key === undefined) return null
  c.set('repeatable', true)
  const actor = requireCaller(c)
  const owner = actor.platform_id ?? actor.operator_id
  const scope = await sha256(`${owner} ${c.req.method} ${c.req.path} ${key}`)
  return { actor, scope, body_sha256: await sha256Bytes(await c.req.arrayBuffer()), now }
}

/**
 * Returns the first response to a repeated request, and marks the response as replayed.
 *
 * @throws ApiError IDEMPOTENCY_MISMATCH if the key was used with a different body before
 */
export function replay(c: Ctx, repeatable: Repeatable | null, prior: Prior): Prior {
  if (prior.body_sha256 !== repeatable?.body_sha256) {
    throw new ApiError(
      'IDEMPOTENCY_MISMATCH',
      'Idempotency-Key: already used with a different body; use a new key',
    )
  }
  c.header('Idempotency-Replayed', 'true')
  return prior
}
