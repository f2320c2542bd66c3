import { DONE, type RelayResult } from '../api/relay.ts'
import type { Db } from '../db/client.ts'
import { MAIL_OPT_OUTS } from '../db/enums.ts'
import type { Env } from '../env.ts'
import { log } from '../lib/log.ts'
import { nextAttemptAt, secondsUntil } from '../lib/retries.ts'
import { recordOf } from '../trust/basis.ts'
import { standingOf } from '../trust/standing.ts'
import { type Claim, claimMail } from './claim-store.ts'
import { type Outcome, recordOutcome } from './outcome-store.ts'
import { sendMail } from './resend.ts'
import { CLAIM_MS } from './schedule.ts'
import { composeMail } from './text.ts'
import { makeUnsubscribeToken } from './unsubscribe-token.ts'
import { judge, type ProviderResponse } from './verdict.ts'

interface Message {
  mail_id: string
  attempt: number
}

const INTERRUPTED: ProviderResponse = { status: null, error: 'outcome unknown', isOfAddress: false }

/**
 * Makes attempt n of a mail once: claims it, sends it to the provider, and records the outcome. If it has to be repeated,
 * the job of the next minute publishes attempt n + 1. All attempts use the mail's id as idempotency key, so that a mail
 * whose response was lost is not sent twice.
 *
 * @param dbFor returns a database client with a new deadline, one for each step
 */
export async function relayMail(
  env: Env,
  dbFor: () => Db,
  message: Message,
  now: () => Date,
): Promise<RelayResult> {
  const started = now()
  const claim = await claimMail(dbFor(), message.mail_id, message.attempt, started)
  if (claim?.claimed) {
    await finish(dbFor, message, claim, { started, response: await post(env, message.mail_id, claim) }, now)
    return DONE
  }
  if (claim?.status !== 'pending' || claim.attempts !== message.attempt || !claim.lease_until) return DONE
  const leaseEnd = new Date(claim.lease_until)
  const remaining = secondsUntil(leaseEnd, now())
  if (remaining > 0) return { done: false, retryAfterSeconds: remaining }
  const interrupted = { started: new Date(leaseEnd.getTime() - CLAIM_MS), response: INTERRUPTED }
  await finish(dbFor, message, claim, interrupted, now)
  return DONE
}

async function post(env: Env, id: string, claim: Claim): Promise<ProviderResponse> {
  const unsubscribe = await unsubscribeLink(env, claim)
  const mail = composeMail({ ...claim, incident: incidentOf(claim) }, { base: env.BASE_URL, unsubscribe })
  const headers: Record<string, string> = unsubscribe
    ? { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } // RFC 8058
    : {}
  return sendMail(env, id, { to: claim.email, ...mail, headers })
}

function incidentOf({ incident }: Claim) {
  if (!incident) return null
  const { status, severity, basis } = incident
  const record = recordOf(basis).standing
  // Operators that are suspended get no mail.
  const standing = standingOf({
    operator_status: 'active',
    status,
    open_critical: basis.open_critical,
    record,
  })
  return { severity, standing }
}

async function unsubscribeLink({ BASE_URL, IDENTITY_KEY }: Env, { operator_id, type: of }: Claim) {
  const type = MAIL_OPT_OUTS.find((one) => one === of)
  return type
    ? `${BASE_URL}/unsubscribe/${await makeUnsubscribeToken(IDENTITY_KEY, { operator_id, type })}`
    : null
}

async function finish(
  dbFor: () => Db,
  { mail_id: id, attempt }: Message,
  { type, email }: Claim,
  { started, response }: { started: Date; response: ProviderResponse },
  now: () => Date,
): Promise<void> {
  const outcome = outcomeOf(response, attempt, started, email)
  const recorded = await recordOutcome(dbFor(), { id, attempt }, outcome, now())
  if (!recorded || outcome.status === 'sent') return
  const fields = { mail_id: id, type, attempt, status: response.status, error: outcome.error }
  if (outcome.due) log('warning', 'mail_delayed', fields)
  else log('error', 'mail_failed', fields)
}

function outcomeOf(response: ProviderResponse, attempt: number, started: Date, email: string): Outcome {
  const verdict = judge(response)
  const error = verdict === 'sent' ? null : (response.error ?? `status ${response.status}`)
  const end = { error, due: null, rejected: null }
  if (verdict === 'sent') return { ...end, status: 'sent' }
  if (verdict === 'rejected') return { ...end, status: 'failed', rejected: email }
  const due = verdict === 'again' ? nextAttemptAt(attempt, started) : null
  return { ...end, status: due ? 'pending' : 'failed', due }
}
