import type * as z from 'zod'
import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { Actor } from '../http/context.ts'
import type { Repeatable } from '../idempotency/store.ts'
import { seal } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { makeWebhookSecret, WEBHOOK_SECRET_PURPOSE } from '../lib/webhook-signature.ts'
import { webhookUrlProblem } from '../webhooks/relay/url.ts'
import { type OwnPlatform, ownPlatformNotFound, platformRetired } from '../wire/own-platform.ts'
import type { platformCreated, secretRotated } from './responses.ts'
import type { PlatformChanges, PlatformInput } from './schema.ts'
import { insertPlatform, retirePlatform, rotateSecret, updatePlatform } from './store.ts'

const PREVIOUS_SECRET_LIFE_MS = 24 * 3_600_000

type Where = { db: Db; env: Env }

/**
 * Registers a platform with a new webhook secret, which is only returned here.
 *
 * @param repeatable makes the call idempotent: the result is null if an earlier call registered the platform
 */
export async function registerPlatform(
  { db, env }: Where,
  { operator_id, tier }: Pick<Actor, 'operator_id' | 'tier'>,
  { slug, name, event_types = null, webhook_url = null, admission = 'open' }: PlatformInput,
  now: Date,
  repeatable: Repeatable | null = null,
): Promise<z.infer<typeof platformCreated> | null> {
  requireGoodUrl(webhook_url, env)
  const secret = makeWebhookSecret()
  const shown = { slug, name, webhook_url, event_types, admission }
  const webhook_secret = await sealSecret(env, secret)
  const platform = { ...shown, id: uuidv7(now), operator_id, webhook_secret }
  const isRepeated = await insertPlatform(db, platform, tier, now, repeatable)
  return isRepeated ? null : { ...shown, ...INITIAL, webhook_secret: secret, created_at: now.toISOString() }
}

const INITIAL = {
  status: 'active',
  webhook_status: 'enabled',
  established_at: null,
  distrusted_at: null,
} as const

/** Changes a platform, enables its webhook again, or both. */
export async function changePlatform(
  { db, env }: Where,
  own: OwnPlatform,
  changes: PlatformChanges,
  now: Date,
) {
  requireGoodUrl(changes.webhook_url, env)
  const changed = await updatePlatform(db, own, changes, now)
  if (!changed) throw ownPlatformNotFound(own.slug)
  if (changed.status === 'retired') throw platformRetired(own.slug)
  return changed
}

/** Retires a platform permanently; repeated calls return the same result. */
export async function retire(db: Db, own: OwnPlatform, now: Date) {
  const platform = await retirePlatform(db, own, now)
  if (!platform) throw ownPlatformNotFound(own.slug)
  return platform
}

/**
 * Rotates the webhook secret of a platform; the new one is only returned here.
 *
 * @param shownAt when the form was shown that asks for it: the result is null if the secret was rotated since
 */
export async function rotateWebhookSecret(
  { db, env }: Where,
  own: OwnPlatform,
  now: Date,
  shownAt: Date | null = null,
): Promise<z.infer<typeof secretRotated> | null> {
  const webhook_secret = makeWebhookSecret()
  const lifeFrom = (at: Date) => new Date(at.getTime() + PREVIOUS_SECRET_LIFE_MS)
  const previousUntil = lifeFrom(shownAt && shownAt > now ? shownAt : now) // should the clock have gone back
  const secret = await sealSecret(env, webhook_secret)
  const repeatedFrom = shownAt && lifeFrom(shownAt)
  const isRepeated = await rotateSecret(db, own, { secret, previousUntil, repeatedFrom }, now)
  return isRepeated
    ? null
    : { slug: own.slug, webhook_secret, previous_secret_expires_at: previousUntil.toISOString() }
}

function requireGoodUrl(url: string | null | undefined, env: Env): void {
  const problem = url ? webhookUrlProblem(url, env) : null
  if (problem) throw new ApiError('VALIDATION_ERROR', [['webhook_url', problem]])
}

function sealSecret(env: Env, secret: string): Promise<string> {
  return seal(env.SECRETS_KEY, WEBHOOK_SECRET_PURPOSE, secret)
}
