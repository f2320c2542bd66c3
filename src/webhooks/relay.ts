import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { unseal } from '../lib/crypto.ts'
import { toIso } from '../lib/wire.ts'
import { publish } from './publish.ts'
import { secondsUntil } from './schedule.ts'
import { WEBHOOK_SECRET_PURPOSE } from './secret.ts'
import { send } from './send.ts'
import { type Claim, claimAttempt, type Outcome, recordOutcome } from './store.ts'
import { webhookUrlProblem } from './url.ts'

const RACE_RETRY_SECONDS = 5

/** What QStash is told: done with this message, or call again in so many seconds. */
export type RelayResult = { done: true } | { done: false; retryAfterSeconds: number }

const DONE: RelayResult = { done: true }

/**
 * Makes attempt n of a delivery, once: claims it, posts it, records the outcome, and asks for attempt n + 1 when it
 * failed. Whatever dies in between, a repeat of the message settles it and never posts the same attempt again.
 *
 * @param dbFor a database with a fresh deadline, for the steps before and after the receiver's 30 seconds
 */
export async function relay(
  env: Env,
  dbFor: () => Db,
  message: { delivery_id: string; attempt: number },
  now: () => Date,
): Promise<RelayResult> {
  const started = now()
  const claim = await claimAttempt(dbFor(), message.delivery_id, message.attempt, started)
  if (!claim) return DONE
  if (!claim.claimed) return settle(env, dbFor, message, claim, now)
  const outcome = await post(env, claim, started)
  await finish(env, dbFor, message, claim, { started, outcome }, now)
  return DONE
}

async function post(env: Env, claim: Claim, started: Date): Promise<Outcome> {
  const url = claim.webhook_url ?? ''
  const problem = webhookUrlProblem(url, env)
  const secret = await unseal(env.SECRETS_KEY, WEBHOOK_SECRET_PURPOSE, claim.webhook_secret)
  if (problem || secret === null) {
    const error = problem ? `webhook_url ${problem}` : 'webhook secret cannot be decrypted'
    return { duration_ms: 0, response_status: null, error, response_excerpt: null }
  }
  const { event_id: id, type, data } = claim
  return send(url, secret, { id, type, created_at: toIso(claim.created_at), data }, started)
}

/** A message whose attempt was claimed before: under way, cut off by a crash, or recorded. */
async function settle(
  env: Env,
  dbFor: () => Db,
  message: { delivery_id: string; attempt: number },
  claim: Claim,
  now: () => Date,
): Promise<RelayResult> {
  if (claim.status !== 'pending' || claim.attempts > message.attempt) return DONE
  if (claim.attempts < message.attempt || !claim.started_at) {
    return { done: false, retryAfterSeconds: RACE_RETRY_SECONDS }
  }
  if (claim.lease_until) {
    const rest = secondsUntil(new Date(claim.lease_until), now())
    if (rest > 0) return { done: false, retryAfterSeconds: rest }
    const outcome = {
      duration_ms: null,
      response_status: null,
      error: 'outcome unknown',
      response_excerpt: null,
    }
    await finish(env, dbFor, message, claim, { started: new Date(claim.started_at), outcome }, now)
  } else if (!claim.published && claim.next_attempt_at) {
    await publishNext(env, message, claim, new Date(claim.next_attempt_at), now())
  }
  return DONE
}

async function finish(
  env: Env,
  dbFor: () => Db,
  { delivery_id, attempt }: { delivery_id: string; attempt: number },
  claim: Claim,
  { started, outcome }: { started: Date; outcome: Outcome },
  now: () => Date,
): Promise<void> {
  const due = await recordOutcome(
    dbFor(),
    { delivery_id, number: attempt, started_at: started },
    outcome,
    now(),
  )
  if (due) await publishNext(env, { delivery_id, attempt }, { ...claim, publish_count: 0 }, due, now())
}

function publishNext(
  env: Env,
  { delivery_id, attempt }: { delivery_id: string; attempt: number },
  { platform_id, type, publish_count }: Claim,
  due: Date,
  now: Date,
): Promise<void> {
  const due_at = due.toISOString()
  return publish(env, [{ delivery_id, platform_id, type, attempt: attempt + 1, publish_count, due_at }], now)
}
