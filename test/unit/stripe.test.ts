import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stripeIdentity } from '../../src/kyc/stripe.ts'
import { SETTINGS } from '../support/settings.ts'

const SESSION = { id: 'vs_1', status: 'requires_input', url: 'https://verify.example', last_error: null }

let statuses: number[] = []
const server = createServer((_, response) => {
  const status = statuses.shift() ?? 200
  if (status === 0) return response.destroy()
  response.writeHead(status, { 'Content-Type': 'application/json' })
  return response.end(JSON.stringify(status === 200 ? SESSION : { error: {} }))
})
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
afterAll(() => server.close())

it.each([
  ['a broken connection', [0, 200], 'open', 0],
  ['an internal error', [502, 200], 'open', 0],
  ['a second failure', [503, 503, 200], 'SERVICE_UNAVAILABLE', 1],
  ['a refusal', [401, 200], 'SERVICE_UNAVAILABLE', 1],
])('a call of Stripe is repeated once after %s, unless it is refused', async (_, replies, outcome, left) => {
  statuses = replies
  const env = { ...SETTINGS, STRIPE_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  const found = await stripeIdentity(env, new AbortController().signal)
    .find('vs_1')
    .then(
      ({ state }) => state,
      ({ code }) => code,
    )
  expect([found, statuses.length]).toEqual([outcome, left])
})
