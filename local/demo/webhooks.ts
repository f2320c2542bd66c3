import { Webhook } from 'standardwebhooks'
import { verifyWebhook } from '../../packages/webhooks/index.ts'
import { quote, say, step, table } from './print.ts'
import type { Arrival, Receiver } from './receiver.ts'

const WAIT_MS = 120_000

/** The event types that the demo's platform subscribes to. */
export const AWAITED = [
  'agent.registered',
  'incident.created',
  'trust.updated',
  'trust.threshold_crossed',
] as const

/**
 * Waits for one webhook of each type and verifies all received webhooks; returns how many.
 *
 * @throws Error that names the type that is missing or has an invalid signature
 */
export async function showWebhooks({ arrivals, waitFor }: Receiver, secret: string): Promise<number> {
  step(
    'Receive the webhooks',
    'Each is verified with X-REG-Signature (HMAC-SHA-256 of "<timestamp>.<body>") and with the package',
    'standardwebhooks; then again with one byte changed, which both must reject.',
  )
  const deadline = Date.now() + WAIT_MS
  for (const type of AWAITED) {
    const arrival = await waitFor(({ headers }) => typeOf(headers) === type, deadline - Date.now())
    if (!arrival) throw new Error(`${type} did not arrive within ${WAIT_MS / 1000} s`)
  }
  const verified = [...arrivals]
  for (const arrival of verified) await requireGenuine(secret, arrival)
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

async function requireGenuine(secret: string, arrival: Arrival): Promise<void> {
  const type = typeOf(arrival.headers)
  const isOwn = async ({ headers, body }: Arrival) =>
    (await verifyWebhook(secret, headers, body)).event !== null
  if (!(await isOwn(arrival))) throw new Error(`${type}: X-REG-Signature does not verify`)
  if (!isStandard(secret, arrival)) throw new Error(`${type}: webhook-signature does not verify`)
  const changed = { ...arrival, body: arrival.body.replace('evt_', 'evt-') }
  if ((await isOwn(changed)) || isStandard(secret, changed))
    throw new Error(`${type}: a changed body verifies`)
}

/** Verifies the headers of Standard Webhooks with the package of that project. */
function isStandard(secret: string, { headers, body }: Arrival): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>) // of Node, each once
    return true
  } catch {
    return false
  }
}

function typeOf(headers: Arrival['headers']): string {
  return String(headers['x-reg-event'])
}

function gist(body: string): string {
  const { data } = JSON.parse(body)
  if (data.threshold) return `${data.threshold} ${data.direction}`
  if (data.new_score) return `${data.previous_score} → ${data.new_score}`
  return String(data.title ?? data.name ?? '')
}
