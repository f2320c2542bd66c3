import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { signature as signAsStripe } from '../../local/stand-ins/kyc/webhooks.ts'
import { SIGNING_KEYS, signDelivery } from '../../local/stand-ins/qstash/sign.ts'
import { expectError, freshIp, shared } from '../support/harness.ts'
import { roomInMinute } from '../support/minute.ts'
import { settingsOf } from '../support/worker-settings.ts'

const BODY_MAX_BYTES = 256 * 1024
const SIGNATURE_MAX_BYTES = 4 * 1024
const SIGNATURES_MAX = 8
const REFUSED_PER_MINUTE = 120
const FLOOD = 3 * REFUSED_PER_MINUTE // several isolates may count by themselves

const UNSIGNED_JWT = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`

const h = shared()
const { api } = h
const { MAIL_WEBHOOK_SECRET = '', STRIPE_WEBHOOK_SECRET = '' } = settingsOf(h.dir)

interface Receiver {
  path: string
  header: string
  /** A body that changes nothing, and headers with its signature. */
  body: string
  sign: () => Promise<Record<string, string>> | Record<string, string>
  /** An invalid signature, to be placed before the others of a header; undefined if it has only one. */
  other?: string
}

const RECEIVERS: Receiver[] = [
  {
    path: '//internal/qstash/doctor',
    header: 'Upstash-Signature',
    body: JSON.stringify({ id: crypto.randomUUID() }),
    async sign() {
      const url = `${h.base_url}/internal/qstash/doctor`
      return { 'Upstash-Signature': await signDelivery(url, Buffer.from(this.body), SIGNING_KEYS.current) }
    },
  },
  {
    path: '//internal/kyc/stripe',
    header: 'Stripe-Signature',
    body: JSON.stringify({ id: 'evt_1', type: 'other', data: { object: {} } }),
    sign() {
      const now = Math.floor(Date.now() / 1000)
      return { 'Stripe-Signature': signAsStripe(STRIPE_WEBHOOK_SECRET, this.body, now) }
    },
    other: `v1=${'0'.repeat(64)},`,
  },
  {
    path: '//internal/mail/resend',
    header: 'Svix-Signature',
    body: JSON.stringify({ type: 'email.delivered', data: {} }),
    sign() {
      const now = new Date()
      return {
        'Svix-Id': 'msg_1',
        'Svix-Timestamp': String(Math.floor(now.getTime() / 1000)),
        'Svix-Signature': new Webhook(MAIL_WEBHOOK_SECRET).sign('msg_1', now, this.body),
      }
    },
    other: `v1,${'A'.repeat(43)}= `,
  },
]

it.each(RECEIVERS)('$path limits the body, the signatures, and their header', async (receiver) => {
  const { path, header, body, other } = receiver
  const headers = await receiver.sign()
  const { [header]: signature = '' } = headers
  /** Sends the message with a genuine signature, after other texts in the same header. */
  const send = (before = '') =>
    api('POST', path, { body, headers: { ...headers, [header]: before + signature } })

  const largest = { body: 'x'.repeat(BODY_MAX_BYTES) }
  expectError(await api('POST', path, largest), 401, 'UNAUTHORIZED', /ignature/)
  const larger = { body: 'x'.repeat(BODY_MAX_BYTES + 1) }
  expectError(await api('POST', path, larger), 413, 'PAYLOAD_TOO_LARGE', /at most 262144 bytes/)

  const separator = header === 'Stripe-Signature' ? ',' : ' '
  const filled = (bytes: number) => 'x'.repeat(bytes - signature.length - 1) + separator
  const tooLong = new RegExp(`^${header}: at most 4096 bytes$`)
  expectError(await send(filled(SIGNATURE_MAX_BYTES + 1)), 401, 'UNAUTHORIZED', tooLong)
  expect((await send()).status).toBe(200)
  if (!other) return
  expect((await send(filled(SIGNATURE_MAX_BYTES))).status).toBe(200)
  expect((await send(other.repeat(SIGNATURES_MAX - 1))).status).toBe(200)
  expectError(await send(other.repeat(SIGNATURES_MAX)), 401, 'UNAUTHORIZED', new RegExp(header))
})

it.each([
  ['content-length', '100'],
  ['transfer-encoding', 'chunked'],
])('a body with %s that is cut off is rejected, and is no error of the service', async (name, value) => {
  const path = `/internal/${crypto.randomUUID()}`
  const options = { method: 'POST', headers: { [name]: value, 'CF-Connecting-IP': freshIp() } }
  const cut = request(h.base_url + path, options).on('error', () => undefined)
  cut.write('{')
  await pause(100)
  cut.destroy()
  const lines = () =>
    h
      .workerLogs()
      .split('\n')
      .filter((line) => line.includes(path))
  await expect.poll(lines).toContainEqual(expect.stringContaining('"status":400'))
  expect(lines().join()).not.toContain('request_failed')
})

it('counts refused requests by IP address, and still accepts genuine ones from there', async () => {
  await roomInMinute()
  const ip = freshIp()
  const refused = await Promise.all(
    Array.from({ length: FLOOD }, (_, n) => {
      const { path = '', body } = RECEIVERS[n % RECEIVERS.length] ?? {}
      return api('POST', path, { ip, body })
    }),
  )
  const limited = refused.filter(({ status }) => status === 429)
  expect(limited.length).toBeGreaterThan(0)
  expect(limited.length).toBeLessThanOrEqual(FLOOD - REFUSED_PER_MINUTE)
  for (const response of limited) {
    expectError(response, 429, 'RATE_LIMITED', /120 requests per minute/)
    expect(response.headers.get('link')).toContain('#RATE_LIMITED')
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect(response.headers.get('x-ratelimit-reset')).toBeNull() // QStash would wait until then
  }
  for (const receiver of RECEIVERS) {
    const { path, header, body } = receiver
    const headers = await receiver.sign()
    expect((await api('POST', path, { ip, body, headers })).status).toBe(200)
    for (const forged of ['nonsense', UNSIGNED_JWT]) {
      const response = await api('POST', path, { body, headers: { ...headers, [header]: forged } })
      expectError(response, 401, 'UNAUTHORIZED')
      expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    }
  }
})
