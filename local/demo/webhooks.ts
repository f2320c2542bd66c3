import { z } from 'zod'
import { say, table } from '../../scripts/support/print.ts'
import { utcDay } from '../../src/lib/time.ts'
import { quote, step } from './print.ts'
import type { Arrival, Receiver } from './receiver.ts'
import { type Logged, recompute } from './recompute.ts'
import { dimensionsShape, sameNumbers } from './score.ts'
import { ownSignatureHolds, standardSignatureHolds } from './verify.ts'

const WAIT_MS = 120_000

/** The event types that the demo's platform subscribes to. */
export const AWAITED = [
  'agent.registered',
  'incident.created',
  'trust.updated',
  'trust.threshold_crossed',
] as const
/** The threshold that the agent crosses when the platform reports its work. */
const THRESHOLD = 60

const envelopeShape = z.object({
  id: z.string(),
  type: z.string(),
  created_at: z.string(),
  data: z.looseObject({ reg: z.string() }),
})
const scoresShape = z.object({ previous_score: z.number(), new_score: z.number() })
const updateShape = scoresShape.extend({ dimensions: dimensionsShape })
const crossingShape = scoresShape.extend({ threshold: z.number(), direction: z.string() })

/**
 * Waits for one webhook of each type and verifies all received webhooks; returns how many.
 *
 * @throws Error that names the type that is missing or has an invalid signature
 */
export async function showWebhooks(
  { arrivals, waitFor }: Receiver,
  secret: string,
  { reg, log }: { reg: string; log: readonly Logged[] },
): Promise<number> {
  step(
    'Receive the webhooks',
    'Each is verified with X-REG-Signature (HMAC-SHA-256 of "<timestamp>.<body>") and with the package',
    'standardwebhooks; then again with one byte changed, which both must reject.',
  )
  const deadline = Date.now() + WAIT_MS
  for (const type of AWAITED) {
    const arrival = await waitFor((one) => isAwaited(one, type, reg, log), deadline - Date.now())
    if (!arrival) throw new Error(`${type} did not arrive within ${WAIT_MS / 1000} s; ${seen(arrivals)}`)
  }
  const verified = [...arrivals]
  for (const arrival of verified) requireGenuine(secret, arrival)
  table([
    ['event', 'signed at', 'X-REG-Signature', 'standardwebhooks', 'data'],
    ...verified.map(({ headers, body }) => [
      typeOf(headers),
      String(headers['x-reg-timestamp']),
      'valid',
      'valid',
      gist(body),
    ]),
  ])
  const incident = verified.find(({ headers }) => typeOf(headers) === 'incident.created')
  if (incident) showByHand(incident)
  return verified.length
}

function showByHand({ headers, body }: Arrival): void {
  say('', 'To verify incident.created by hand:', '')
  say(
    `printf %s ${quote(`${headers['x-reg-timestamp']}.${body}`)} \\`,
    '  | openssl dgst -sha256 -hmac "$SECRET"',
    `→ must equal its header: ${headers['x-reg-signature']}`,
  )
}

/** Whether this is the awaited webhook: an earlier run of the cron may have sent an earlier score. */
function isAwaited({ headers, body }: Arrival, type: string, reg: string, log: readonly Logged[]): boolean {
  const { type: sent, data, created_at } = envelopeOf(body)
  if (typeOf(headers) !== type || sent !== type || data.reg !== reg) return false
  if (type === 'incident.created') return data.severity === 'warning' && data.status === 'open'
  if (type === 'trust.threshold_crossed') {
    const { threshold, direction } = crossingShape.parse(data)
    return threshold === THRESHOLD && direction === 'up'
  }
  if (type !== 'trust.updated') return true
  const { new_score, dimensions } = updateShape.parse(data)
  const own = recompute(log, utcDay(new Date(created_at)))
  return own !== null && sameNumbers({ overall: new_score, ...dimensions }, own)
}

function requireGenuine(secret: string, arrival: Arrival): void {
  const type = typeOf(arrival.headers)
  if (!ownSignatureHolds(secret, arrival)) throw new Error(`${type}: X-REG-Signature does not verify`)
  if (!standardSignatureHolds(secret, arrival)) throw new Error(`${type}: webhook-signature does not verify`)
  const changed = { ...arrival, body: arrival.body.replace('evt_', 'evt-') }
  if (ownSignatureHolds(secret, changed) || standardSignatureHolds(secret, changed)) {
    throw new Error(`${type}: a changed body verifies`)
  }
}

function envelopeOf(body: string): z.infer<typeof envelopeShape> {
  return envelopeShape.parse(JSON.parse(body))
}

function typeOf(headers: Arrival['headers']): string {
  return String(headers['x-reg-event'])
}

function gist(body: string): string {
  const { data } = envelopeOf(body)
  const crossing = crossingShape.safeParse(data)
  if (crossing.success) return `${crossing.data.threshold} ${crossing.data.direction}`
  const update = scoresShape.safeParse(data)
  if (update.success) return `${update.data.previous_score} → ${update.data.new_score}`
  return String(data.title ?? data.name ?? '')
}

function seen(arrivals: readonly Arrival[]): string {
  if (arrivals.length === 0) return 'nothing arrived'
  return `arrived: ${arrivals.map(({ headers }) => typeOf(headers)).join(', ')}`
}
