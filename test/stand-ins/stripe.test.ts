import type { IncomingHttpHeaders } from 'node:http'
import Stripe from 'stripe'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { serve } from '../../local/stand-ins/serve.ts'
import { stripeIdentity } from '../../src/kyc/stripe.ts'

const SECRET = 'whsec_test'
const SETTINGS = {
  BASE_URL: 'https://registry.example',
  STRIPE_API_URL: 'http://127.0.0.1:9',
  STRIPE_SECRET_KEY: 'sk',
  STRIPE_WEBHOOK_SECRET: SECRET,
}
const { readEvent } = stripeIdentity(SETTINGS, AbortSignal.timeout(1_000))
const stripe = new Stripe('sk_test')

const body = JSON.stringify({
  id: 'evt_1',
  type: 'identity.verification_session.verified',
  data: { object: { id: 'vs_1', status: 'verified', url: null, last_error: null } },
})
const sign = (options: { payload?: string; secret?: string; timestamp?: number } = {}) =>
  stripe.webhooks.generateTestHeaderString({ payload: body, secret: SECRET, ...options })

it("accepts events signed by Stripe's own library, and reads their session", async () => {
  expect(await readEvent(body, sign())).toEqual({ id: 'vs_1', state: 'verified', url: null, reason: null })
})

it('accepts one valid signature among several, as during a rotation of the secret', async () => {
  const good = sign()
  const other = sign({ secret: 'whsec_other' }).split(',')[1]
  expect(await readEvent(body, `${good.split(',')[0]},${other},${good.split(',')[1]}`)).not.toBe('forged')
})

it.each([
  ['no content', ''],
  ['another secret', sign({ secret: 'whsec_other' })],
  ['another body', sign({ payload: `${body} ` })],
  ['a time more than five minutes ago', sign({ timestamp: Math.floor(Date.now() / 1000) - 301 })],
  ['an invalid time', sign().replace(/^t=\d+/, 't=now')],
  ['no time', sign().replace(/^t=\d+,/, '')],
  ['half of its characters', sign().slice(0, -32)],
  ['uppercase letters', sign().replace(/v1=.*/, (text) => text.toUpperCase().replace('V1', 'v1'))],
])('rejects a signature with %s', async (_, header) => {
  expect(await readEvent(body, header)).toBe('forged')
})

const SESSION = { id: 'vs_1', status: 'requires_input', url: 'https://verify.example/1', last_error: null }
const requested: { path: string; headers: IncomingHttpHeaders }[] = []
const responses: [status: number, body: string][] = []
const server = await serve('stripe', (request, response) => {
  requested.push({ path: request.url ?? '', headers: request.headers })
  const [status, body] = responses.shift() ?? [200, JSON.stringify(SESSION)]
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
})
afterAll(server.stop)

describe('a call of the Stripe API', () => {
  const provider = () =>
    stripeIdentity({ ...SETTINGS, STRIPE_API_URL: server.url }, AbortSignal.timeout(20_000))
  beforeEach(() => {
    requested.length = 0
  })

  it.each([
    ['status 503', 503, '{"error":{"type":"api_error"}}'],
    ['status 500', 500, '{"error":{"type":"api_error"}}'],
    ['a conflict with a concurrent call', 409, '{"error":{"code":"idempotency_key_in_use"}}'],
    ['HTML', 200, '<html>'],
  ])('is repeated once, with the same key, after %s', async (_, status, body) => {
    responses.push([status, body])
    expect(await provider().create('operator', 'key-1')).toEqual({
      id: 'vs_1',
      state: 'open',
      url: SESSION.url,
      reason: null,
    })
    expect(requested.map(({ path }) => path)).toEqual(Array(2).fill('/v1/identity/verification_sessions'))
    expect(requested.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1'])
    expect(requested[0]?.headers['stripe-version']).toBe(new Stripe('sk').getApiField('version'))
  })

  it('is not repeated when Stripe rejects it', async () => {
    responses.push([401, '{"error":{"type":"invalid_request_error"}}'])
    const log = vi.spyOn(console, 'log').mockReturnValue()
    await expect(provider().create('operator', 'key-1')).rejects.toThrow(/identity verification provider/)
    expect(log).toHaveBeenCalledWith(expect.stringMatching(/kyc_provider_failed.*"status":401/))
    log.mockRestore()
    expect(requested).toHaveLength(1)
  })

  it('is faulty after a second status 500, which Stripe stores for the key', async () => {
    responses.push(...Array(2).fill([500, '{"error":{"type":"api_error"}}']))
    const log = vi.spyOn(console, 'log').mockReturnValue()
    expect(await provider().create('operator', 'key-1')).toBe('faulty')
    expect(log).toHaveBeenCalledWith(expect.stringContaining('kyc_provider_failed'))
    log.mockRestore()
  })

  it('reads only the name and date of birth of a document', async () => {
    const verified_outputs = { first_name: 'Zoë', last_name: null, dob: { day: 1, month: 2, year: 1990 } }
    const ask = async (status: number, session: object) => {
      responses.push([status, JSON.stringify(session)])
      return provider().readPerson('vs_1')
    }
    expect(await ask(200, { ...SESSION, status: 'verified', verified_outputs })).toEqual({
      first_name: 'Zoë',
      last_name: null,
      birth_date: '1990-02-01',
    })
    const { searchParams } = new URL(requested[0]?.path ?? '', 'http://stripe')
    expect(searchParams.getAll('expand[]')).toEqual(['verified_outputs', 'verified_outputs.dob'])
    expect(
      await ask(200, { ...SESSION, verified_outputs: { ...verified_outputs, dob: null } }),
    ).toMatchObject({
      birth_date: null,
    })
    expect(await ask(200, { ...SESSION, verified_outputs: null })).toBeNull()
    const redacted = { first_name: '[redacted]', last_name: '[redacted]', dob: { day: 1, month: 1, year: 1 } }
    const redaction = { status: 'redacted' }
    expect(await ask(200, { ...SESSION, redaction, verified_outputs: redacted })).toBeNull()
    expect(await ask(403, { error: { type: 'invalid_request_error' } })).toBe('rejected')
    await expect(ask(401, { error: { type: 'invalid_request_error' } })).rejects.toThrow(
      /identity verification provider/,
    )
  })

  it('reads an unknown session as canceled', async () => {
    responses.push([404, '{"error":{"code":"resource_missing"}}'])
    expect(await provider().find('vs_2')).toEqual({ id: 'vs_2', state: 'canceled', url: null, reason: null })
  })
})
