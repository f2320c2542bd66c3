import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Kyc, startKyc } from '../../local/stand-ins/kyc/index.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { testFolder } from '../support/test-folder.ts'

const SESSION_ID = /^vs_[0-9A-Za-z]{24}$/

const dir = testFolder()
let receiver: Receiver
let kyc: Kyc
let stripe: Stripe

const connect = (at: Kyc, key = at.secretKey) => {
  const { hostname: host, port } = new URL(at.url)
  return new Stripe(key, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 })
}

beforeAll(async () => {
  receiver = await startReceiver({ checked: false })
  kyc = await startKyc({ dir, webhookUrl: receiver.url })
  stripe = connect(kyc)
})

afterAll(async () => {
  await kyc.stop()
  await receiver.stop()
})

const create = (options: Stripe.RequestOptions = {}) =>
  stripe.identity.verificationSessions.create(
    {
      type: 'document',
      client_reference_id: 'somebody & "somebody" else',
      options: { document: { require_matching_selfie: true } },
    },
    options,
  )

const decide = (url: string | null, form: Record<string, string>) =>
  fetch(url ?? '', { method: 'POST', body: new URLSearchParams(form) })

const about = (id: string, type: string) => (webhook: Received) =>
  webhook.event.data.object.id === id && webhook.event.type === `identity.verification_session.${type}`

async function reported(id: string, type: string): Promise<Received> {
  await expect.poll(() => receiver.received.some(about(id, type))).toBe(true)
  return receiver.received.find(about(id, type)) as Received
}

it('sessions are created, retrieved, and canceled while they are open', async () => {
  const session = await create()
  const { id, url } = session
  expect(session).toMatchObject({
    id: expect.stringMatching(SESSION_ID),
    client_reference_id: 'somebody & "somebody" else',
    status: 'requires_input',
    last_error: null,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/start\//),
  })
  const sessions = stripe.identity.verificationSessions
  expect(await sessions.retrieve(id)).toEqual(session)
  expect(await sessions.cancel(id)).toMatchObject({ status: 'canceled', url: null })
  expect((await fetch(url ?? '')).status).toBe(404)
  const error = { statusCode: 400, message: expect.stringContaining('canceled') }
  await expect(sessions.cancel(id)).rejects.toMatchObject(error)
  await reported(id, 'canceled')
})

it('an Idempotency-Key returns the same session again, also for concurrent requests', async () => {
  const idempotencyKey = crypto.randomUUID()
  const sessions = await Promise.all(Array.from({ length: 20 }, () => create({ idempotencyKey })))
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(1)
  expect(new Set(sessions.map(({ url }) => url)).size).toBe(1)
})

it('an unknown session is an error with a code', async () => {
  const missing = stripe.identity.verificationSessions.retrieve('vs_none')
  await expect(missing).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' })
})

describe('the page of a check', () => {
  it('approves a session, which becomes processing, then verified, each with a signed webhook', async () => {
    const { id, url } = await create()
    expect((await decide(url, { outcome: 'approve' })).status).toBe(200)
    const now = await stripe.identity.verificationSessions.retrieve(id)
    expect(now).toMatchObject({ status: 'verified', url: null, last_error: null })
    expect((await decide(url, { outcome: 'approve' })).status).toBe(404)
    for (const type of ['created', 'processing', 'verified']) {
      const { raw, headers } = await reported(id, type)
      const signature = String(headers['stripe-signature'])
      const event = await stripe.webhooks.constructEventAsync(raw, signature, kyc.webhookSecret)
      expect(event).toMatchObject({ object: 'event', type: `identity.verification_session.${type}` })
    }
  })

  it('takes the name and date of birth, and returns them only to a restricted key that expands them', async () => {
    const restricted = connect(kyc, kyc.restrictedKey).identity.verificationSessions
    const { id, url } = await create()
    const expand = ['verified_outputs', 'verified_outputs.dob']
    expect((await restricted.retrieve(id, { expand })).verified_outputs).toBeNull()
    expect((await decide(url, { outcome: 'approve', birth_date: '31.12.1999' })).status).toBe(422)
    await decide(url, {
      outcome: 'approve',
      first_name: 'Zoë',
      last_name: '',
      birth_date: '1999-12-31',
    })
    expect(await restricted.retrieve(id)).not.toHaveProperty('verified_outputs')
    const { verified_outputs } = await restricted.retrieve(id, { expand })
    const dob = { day: 31, month: 12, year: 1999 }
    expect(verified_outputs).toMatchObject({ first_name: 'Zoë', last_name: null, dob })
    const { event } = await reported(id, 'verified')
    expect(event.data.object).not.toHaveProperty('verified_outputs')
    const unrestricted = stripe.identity.verificationSessions.retrieve(id, { expand })
    await expect(unrestricted).rejects.toMatchObject({ statusCode: 403 })
  })

  it('rejects a session with a reason, after which a new link allows another try', async () => {
    const { id, url } = await create()
    expect((await decide(url, { outcome: 'reject' })).status).toBe(422)
    await decide(url, { outcome: 'reject', code: 'document_expired' })
    const now = await stripe.identity.verificationSessions.retrieve(id)
    expect(now).toMatchObject({
      status: 'requires_input',
      last_error: { code: 'document_expired', reason: 'The provided identity document has expired.' },
    })
    expect(now.url).not.toBe(url)
    const { event } = await reported(id, 'requires_input')
    expect(event.data.object.last_error.code).toBe('document_expired')
    await decide(now.url, { outcome: 'approve' })
    await reported(id, 'verified')
  })
})

describe('a webhook', () => {
  it('is kept over a restart until it is accepted, with the sessions, secrets, and port', async () => {
    receiver.respond(500)
    const session = await create()
    await reported(session.id, 'created')
    const before = kyc
    await kyc.stop()
    const seen = receiver.received.length
    receiver.respond(200)
    kyc = await startKyc({ dir, webhookUrl: receiver.url })
    expect(kyc).toMatchObject({
      url: before.url,
      secretKey: before.secretKey,
      webhookSecret: before.webhookSecret,
    })
    expect(await stripe.identity.verificationSessions.retrieve(session.id)).toEqual(session)
    await expect.poll(() => receiver.received.slice(seen).some(about(session.id, 'created'))).toBe(true)
  })
})
