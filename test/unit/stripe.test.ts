import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { stripeIdentity } from '../../src/kyc/stripe.ts'

const SECRET = 'whsec_test'
const SETTINGS = {
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

it("takes what Stripe's own library has signed, and reads the session in it", async () => {
  expect(await readEvent(body, sign())).toEqual({
    id: 'evt_1',
    session: { id: 'vs_1', state: 'verified', url: null, reason: null },
  })
})

it('takes one good signature among several, as while a secret is rolled', async () => {
  const good = sign()
  const other = sign({ secret: 'whsec_other' }).split(',')[1]
  expect(await readEvent(body, `${good.split(',')[0]},${other},${good.split(',')[1]}`)).not.toBe('forged')
})

it.each([
  ['nothing', ''],
  ['another secret', sign({ secret: 'whsec_other' })],
  ['another body', sign({ payload: `${body} ` })],
  ['more than five minutes', sign({ timestamp: Math.floor(Date.now() / 1000) - 301 })],
  ['a time that is none', sign().replace(/^t=\d+/, 't=now')],
  ['no time', sign().replace(/^t=\d+,/, '')],
  ['half of it', sign().slice(0, -32)],
  ['capitals', sign().replace(/v1=.*/, (text) => text.toUpperCase().replace('V1', 'v1'))],
])('refuses a signature with %s', async (_, header) => {
  expect(await readEvent(body, header)).toBe('forged')
})
