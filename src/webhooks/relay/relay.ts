import type { Db } from '../../db/client.ts'
import { type Env, openingKeys } from '../../env.ts'
import { unsealWith } from '../../lib/crypto.ts'
import { toIso } from '../../lib/time.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../lib/webhook-signature.ts'
import { publishOrLeave } from '../outbox/publish.ts'
import type { Publication } from '../outbox/store.ts'
import { secondsUntil } from '../schedule.ts'
import { type Claim, claimAttempt } from './claim-store.ts'
import { recordOutcome } from './outcome-store.ts'
import { send } from './send.ts'
import { webhookUrlProblem } from './url.ts'
import { OUR_ERRORS, type Outcome } from './verdict.ts'

/** The seconds after which QStash repeats a message; null if the message is done. */
type RetrySeconds = number | null

const DONE = null
const AGAIN = 5

type Message = Pick<Publication, 'delivery_id' | 'attempt' | 'host'>

interface Relaying {
  env: Env
  /** Returns a database client with a new deadline, for the steps before and after the receiver's 30 seconds. */
  dbFor: () => Db
  message: Message
  now: () => Date
}

/**
 * Makes attempt n of a delivery once: claims it, posts it, records the outcome, and publishes attempt n + 1 if it failed. If
 * it is interrupted, a repeated message settles it, and never posts the same attempt again. If the URL has another host by
 * now, the attempt is published again, in the flow of that host.
 */
export async function relay(relaying: Relaying): Promise<RetrySeconds> {
  const { env, dbFor, message, now } = relaying
  const started = now()
  const claim = await claimAttempt(dbFor(), message, started)
  if (!claim || claim.fate === 'skip') return DONE
  if (claim.fate === 'move') {
    // Publishing it once used up the first deduplication id, even if that was not recorded.
    const publish_count = Math.max(claim.publish_count, 1)
    return publishAttempt(env, message, { ...claim, publish_count }, started)
  }
  if (!claim.fate) return settle(relaying, claim)
  return finish(relaying, claim, started, await post(env, claim, started))
}

async function post(env: Env, claim: Claim, started: Date): Promise<Outcome> {
  const url = claim.webhook_url ?? ''
  const problem = webhookUrlProblem(url, env)
  if (problem) return unsent(`webhook_url ${problem}`)
  const sealed = [claim.webhook_secret, claim.previous_webhook_secret].filter((text) => text !== null)
  const opened = await Promise.all(
    sealed.map((text) => unsealWith(openingKeys(env), WEBHOOK_SECRET_PURPOSE, text)),
  )
  const [newest, ...older] = opened.filter((secret) => secret !== null)
  if (newest === undefined) return unsent(OUR_ERRORS.sealed)
  const { event_id: id, type, data } = claim
  return send(url, [newest, ...older], { id, type, created_at: toIso(claim.created_at), data }, started)
}

/** Handles a message that could not claim its attempt: the attempt is in progress, interrupted, or recorded. */
async function settle(relaying: Relaying, claim: Claim): Promise<RetrySeconds> {
  const { env, message, now } = relaying
  if (claim.status !== 'pending' || claim.attempts > message.attempt) return DONE
  if (claim.attempts < message.attempt || !claim.started_at) return AGAIN
  if (claim.lease_until) {
    const remaining = secondsUntil(new Date(claim.lease_until), now())
    if (remaining > 0) return remaining
    return finish(relaying, claim, new Date(claim.started_at), unsent(OUR_ERRORS.crashed, null))
  }
  if (claim.published || !claim.next_attempt_at) return DONE
  return publishAttempt(env, nextOf(message), claim, now(), claim.next_attempt_at)
}

async function finish(
  { env, dbFor, message, now }: Relaying,
  claim: Claim,
  started: Date,
  outcome: Outcome,
): Promise<RetrySeconds> {
  const due = await recordOutcome(dbFor(), message, claim, started, outcome, now())
  if (!due) return DONE
  return publishAttempt(env, nextOf(message), { ...claim, publish_count: 0 }, now(), due.toISOString())
}

/** Publishes an attempt; if that fails, QStash's retry of this message is the earliest chance to do it. */
async function publishAttempt(
  env: Env,
  { delivery_id, attempt }: Message,
  { type, publish_count, operator_id, tier, host }: Claim,
  now: Date,
  due_at?: string,
): Promise<RetrySeconds> {
  const publication = { delivery_id, attempt, type, operator_id, tier, host, publish_count }
  const next = due_at === undefined ? publication : { ...publication, due_at }
  return (await publishOrLeave(env, [next], now, { delivery_id })) ? DONE : AGAIN
}

const nextOf = (message: Message): Message => ({ ...message, attempt: message.attempt + 1 })

function unsent(error: string, duration_ms: number | null = 0): Outcome {
  return { duration_ms, response_status: null, error, response_excerpt: null }
}
