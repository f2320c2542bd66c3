import type { Db } from '../db/client.ts'
import { MAIL_OPT_OUTS } from '../db/enums.ts'
import type { Env } from '../env.ts'
import { log } from '../lib/log.ts'
import { hoursBefore } from '../lib/time.ts'
import { recordOf } from '../trust/basis.ts'
import { standingOf } from '../trust/standing.ts'
import { sendMail } from './resend.ts'
import { EXPIRES_AFTER_HOURS, RETRIES } from './schedule.ts'
import { dismissMail, type FoundMail, findMail, type Outcome, settleMail } from './store.ts'
import { composeMail } from './text.ts'
import { makeUnsubscribeToken } from './unsubscribe-token.ts'
import { judge, type ProviderResponse } from './verdict.ts'

const ATTEMPTS_MAX = 1 + RETRIES

/**
 * Sends a mail with the current texts of its notification, and records what became of it. All calls use the mail's id as
 * idempotency key, so that the provider sends it once, even if calls are concurrent or a response was lost.
 *
 * @param dbFor returns a database client with a new deadline, one for each step
 * @returns whether the message is done; else QStash calls again
 */
export async function relayMail(env: Env, dbFor: () => Db, id: string, now: () => Date): Promise<boolean> {
  const found = await findMail(dbFor(), id, now())
  if (found?.status !== 'pending') return true
  const why = whyNotSent(found, now())
  if (why) {
    await dismissMail(dbFor(), found, why)
    return true
  }
  const response = await post(env, found)
  const outcome = outcomeOf(response, found.attempts + 1)
  const settled = await settleMail(dbFor(), found, outcome, now())
  if (!settled || outcome.status === 'sent') return true
  const isDone = outcome.status === 'failed'
  const { type, attempts } = found
  const fields = { mail_id: id, type, attempt: attempts + 1, status: response.status, error: outcome.error }
  if (isDone) log('error', 'mail_failed', fields)
  else log('warning', 'mail_delayed', fields)
  return isDone
}

/** A mail that is too old to be sent exactly once has failed; one that its operator does not want any more is skipped. */
function whyNotSent(mail: FoundMail, now: Date): 'failed' | 'skipped' | null {
  if (new Date(mail.created_at) <= hoursBefore(now, EXPIRES_AFTER_HOURS)) return 'failed'
  const isRefused = mail.operator_status !== 'active' || mail.mail_refused_at !== null
  return isRefused || mail.mail_opt_outs.some((type) => type === mail.type) ? 'skipped' : null
}

async function post(env: Env, mail: FoundMail): Promise<ProviderResponse> {
  const unsubscribe = await unsubscribeLink(env, mail)
  const text = composeMail({ ...mail, incident: incidentOf(mail) }, { base: env.BASE_URL, unsubscribe })
  const headers: Record<string, string> = unsubscribe
    ? { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } // RFC 8058
    : {}
  return sendMail(env, mail.id, { to: mail.email, ...text, headers })
}

function incidentOf({ incident }: FoundMail) {
  if (!incident) return null
  const { id, status, severity, basis } = incident
  const record = recordOf(basis).standing
  // Operators that are suspended get no mail.
  const standing = standingOf({
    operator_status: 'active',
    status,
    open_critical: basis.open_critical,
    record,
  })
  return { id, severity, standing }
}

async function unsubscribeLink({ BASE_URL, IDENTITY_KEY }: Env, { operator_id, type: of }: FoundMail) {
  const type = MAIL_OPT_OUTS.find((one) => one === of)
  return type
    ? `${BASE_URL}/unsubscribe/${await makeUnsubscribeToken(IDENTITY_KEY, { operator_id, type })}`
    : null
}

function outcomeOf(response: ProviderResponse, attempt: number): Outcome {
  const verdict = judge(response)
  if (verdict === 'sent') return { status: 'sent', error: null, rejects: false }
  const error = response.error ?? `status ${response.status}`
  const isAgain = verdict === 'again' && attempt < ATTEMPTS_MAX
  return { status: isAgain ? 'pending' : 'failed', error, rejects: verdict === 'rejected' }
}
