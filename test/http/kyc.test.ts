import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { expectError, type Operator, shared, startReceiver } from '../support/harness.ts'
import { kycControl, plus, START } from '../support/kyc.ts'

const h = shared()
const { api, sql, newOperator } = h
const kyc = kycControl(h)

/** The operator with a session that is valid at this time. */
const at = (operator: Operator, now: Date) => newOperator({ email: operator.email, now })

async function start(operator: Operator, now?: Date): Promise<string> {
  const response = await api('POST', START, { token: operator.token, ...(now && { now }) })
  expect(response.status, response.text).toBe(200)
  expect(response.body.verification_url).toMatch(/^http:/)
  return response.body.verification_url
}

const stateOf = async ({ token }: Operator) => (await api('GET', '/operators/me/kyc', { token })).body

async function statusOf(operator: Operator): Promise<string> {
  return (await api('GET', '/operators/me', { token: operator.token })).body.kyc_status
}

const audited = async ({ id }: Operator) =>
  (
    await sql(
      `select action from audit_log where operator_id = $1 and action like 'kyc.%' order by created_at, id`,
      [id],
    )
  ).map(({ action }) => action)

describe('POST /operators/me/kyc/start', () => {
  it('returns the verification URL, and sets the operator to pending', async () => {
    const operator = await newOperator()
    expect(await stateOf(operator)).toEqual({
      kyc_status: 'unverified',
      kyc_verified_at: null,
      kyc_expires_at: null,
      history: [],
    })
    const response = await api('POST', START, { token: operator.token })
    expect(response.body).toEqual({ kyc_status: 'pending', verification_url: expect.any(String) })
    expect(response.headers.get('x-ratelimit-limit')).toBe('10')
    expect(await statusOf(operator)).toBe('pending')
    expect(await audited(operator)).toEqual(['kyc.started'])
  })

  it('returns the same URL while the check is pending, and creates one session', async () => {
    const operator = await newOperator()
    const url = await start(operator)
    expect(await start(operator)).toBe(url)
    expect(await start(operator, plus(24 * HOUR_MS - 60_000))).toBe(url)
    expect(await kyc.sessionsOf(operator)).toHaveLength(1)
  })

  it('creates a new check after 24 hours, and cancels the old one at the provider', async () => {
    const operator = await newOperator()
    const url = await start(operator)
    const next = await start(operator, plus(24 * HOUR_MS + 1_000))
    expect(next).not.toBe(url)
    const { kyc_status, history } = await stateOf(operator)
    expect(kyc_status).toBe('pending')
    expect(history).toMatchObject([
      { status: 'pending', completed_at: null, reason: null },
      { status: 'canceled', completed_at: expect.any(String), reason: 'not completed within 24 hours' },
    ])
    await expect
      .poll(async () => (await kyc.sessionsOf(operator)).map(({ status }) => status))
      .toEqual(['requires_input', 'canceled'])
  })

  it('creates a new check if the provider does not know the pending one', async () => {
    const operator = await newOperator()
    const url = await start(operator)
    const [check] = (await stateOf(operator)).history
    await sql(`update kyc_checks set provider_session_id = 'vs_unknown_' || operator_id where id = $1`, [
      check.id,
    ])
    expect(await start(operator)).not.toBe(url)
    expect((await stateOf(operator)).history.map(({ status }: { status: string }) => status)).toEqual([
      'pending',
      'canceled',
    ])
  })

  it('reads the result from the provider if no webhook has reported it', async () => {
    const [failed, verified] = await Promise.all([newOperator(), newOperator()])
    const urls = [await start(failed), await start(verified)]
    await sql(
      `update kyc_checks set provider_session_id = 'hidden ' || provider_session_id where operator_id in ($1, $2)`,
      [failed.id, verified.id],
    )
    await kyc.decide(urls[0] ?? '', { outcome: 'reject', code: 'under_supported_age' })
    await kyc.decide(urls[1] ?? '', { outcome: 'approve' })
    await expect.poll(kyc.undelivered).toBe(0) // the webhooks found no check
    await sql(
      `update kyc_checks set provider_session_id = substr(provider_session_id, 8) where operator_id in ($1, $2)`,
      [failed.id, verified.id],
    )
    await start(failed)
    expect((await stateOf(failed)).history).toMatchObject([
      { status: 'pending' },
      { status: 'failed', reason: 'The person is under the supported age.' },
    ])
    expectError(await api('POST', START, { token: verified.token }), 409, 'CONFLICT', /verified/)
    expect(await statusOf(verified)).toBe('verified')
  })

  it('rejects a verified operator until 30 days before expiry, and keeps it verified during a renewal', async () => {
    const verifiedAt = new Date()
    const operator = await kyc.verifiedOperator(verifiedAt)
    expectError(await api('POST', START, { token: operator.token }), 409, 'CONFLICT', /verified/)
    const early = plus(335 * DAY_MS - HOUR_MS, verifiedAt)
    const soon = await at(operator, early)
    expectError(await api('POST', START, { token: soon.token, now: early }), 409, 'CONFLICT')
    const now = plus(335 * DAY_MS + HOUR_MS, verifiedAt)
    const response = await api('POST', START, { token: soon.token, now })
    expect(response.body).toEqual({ kyc_status: 'verified', verification_url: expect.any(String) })
    await kyc.send('requires_input', await kyc.openSession(operator), { now })
    expect(await statusOf(operator)).toBe('verified')
    await start(soon, plus(HOUR_MS, now))
    await kyc.send('verified', await kyc.openSession(operator), { now: plus(DAY_MS, now) })
    const { kyc_expires_at, history } = await stateOf(operator)
    expect(new Date(kyc_expires_at).getTime()).toBeGreaterThan(plus(365 * DAY_MS, now).getTime())
    expect(history.map(({ status }: { status: string }) => status)).toEqual([
      'verified',
      'failed',
      'verified',
    ])
  })

  it('returns 503 while the provider is unavailable, and changes nothing', async () => {
    const operator = await newOperator()
    const variant = await h.variant({ STRIPE_API_URL: 'http://127.0.0.1:9' })
    try {
      const response = await variant.api('POST', START, { token: operator.token })
      expectError(response, 503, 'SERVICE_UNAVAILABLE', /provider/)
      expect(response.headers.get('retry-after')).toBe('5')
    } finally {
      await variant.stop()
    }
    expect(await statusOf(operator)).toBe('unverified')
    await start(operator)
  })

  it('shows no id, URL or secret of the provider in the history', async () => {
    const operator = await newOperator()
    await start(operator)
    const { text } = await api('GET', '/operators/me/kyc', { token: operator.token })
    expect(text).not.toMatch(/vs_|http|secret|evt_/)
    expect(JSON.parse(text).history.map(Object.keys)).toEqual([
      ['id', 'status', 'provider', 'created_at', 'completed_at', 'reason'],
    ])
  })
})

describe('a completed check', () => {
  it('verifies the operator for 365 days if the person is approved', async () => {
    const operator = await newOperator()
    await kyc.decide(await start(operator), { outcome: 'approve' })
    await expect.poll(() => statusOf(operator)).toBe('verified')
    const { kyc_verified_at, kyc_expires_at, history } = await stateOf(operator)
    expect(Date.parse(kyc_expires_at) - Date.parse(kyc_verified_at)).toBe(365 * DAY_MS)
    expect(history).toMatchObject([{ status: 'verified', completed_at: kyc_verified_at, reason: null }])
    expect(await audited(operator)).toEqual(['kyc.started', 'kyc.verified'])
  })

  it('fails with the reason of the provider, and the operator can start again', async () => {
    const operator = await newOperator()
    const url = await start(operator)
    await kyc.decide(url, { outcome: 'reject', code: 'selfie_face_mismatch' })
    await expect.poll(() => statusOf(operator)).toBe('failed')
    const { history } = await stateOf(operator)
    expect(history).toMatchObject([
      { status: 'failed', reason: 'The face in the selfie does not match the face on the document.' },
    ])
    expect(await start(operator)).not.toBe(url)
    expect(await statusOf(operator)).toBe('pending')
    expect(await audited(operator)).toEqual(['kyc.started', 'kyc.failed', 'kyc.started'])
  })

  it('leaves the operator in the previous status if the provider cancels it', async () => {
    const operator = await newOperator()
    for (const before of ['unverified', 'failed']) {
      const url = await start(operator)
      await kyc.stripe.identity.verificationSessions.cancel(await kyc.openSession(operator))
      await expect.poll(() => statusOf(operator)).toBe(before)
      expect(await start(operator)).not.toBe(url)
      await kyc.send('requires_input', await kyc.openSession(operator))
    }
  })

  it('notifies each platform once, naming only the agents that it receives events about', async () => {
    const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
    const [operator, host] = await Promise.all([newOperator({ tier: 'pro' }), newOperator()])
    const platforms = await Promise.all(
      receivers.map(({ url }) =>
        h.newPlatform(host, { webhook_url: url, event_types: ['operator.kyc_verified'] }),
      ),
    )
    const regs: string[] = []
    const byApproval = { token: host.token, body: { admission: 'approval' } }
    await api('PATCH', `/platforms/${platforms[2]?.slug}`, byApproval)
    await h.newAgent(operator, { platform_slug: platforms[2]?.slug })
    await h.newAgent(operator)
    for (const platform of [platforms[0], platforms[1], platforms[1]]) {
      regs.push((await h.newAgent(operator, { platform_slug: platform.slug })).reg)
    }
    const { name } = (await api('GET', '/operators/me', { token: operator.token })).body
    await start(operator)
    const session = await kyc.openSession(operator)
    const id = `evt_${crypto.randomUUID()}`
    for (const _ of [1, 2, 3]) expect((await kyc.send('verified', session, { id })).status).toBe(200)
    const arrivals = await Promise.all(receivers.slice(0, 2).map((receiver) => receiver.arrival(1)))
    const { kyc_verified_at } = await stateOf(operator)
    const [first, second] = arrivals.map(([webhook]) => webhook?.event)
    const event = (of: string[]) => ({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'operator.kyc_verified',
      created_at: kyc_verified_at,
      data: {
        operator_id: operator.id,
        operator_name: name,
        operator_name_verified: false,
        kyc_status: 'verified',
        kyc_verified_at,
        regs: of,
      },
    })
    expect(first).toEqual(event(regs.slice(0, 1)))
    expect(second).toEqual(event(regs.slice(1)))
    expect(first.id).not.toBe(second.id)
    expect(receivers.map(({ received }) => received.length)).toEqual([1, 1, 0])
    await Promise.all(receivers.map((receiver) => receiver.stop()))
  })
})

describe('POST /internal/kyc/stripe', () => {
  const moves = {
    verified: ['verified', 'requires_input', 'canceled', 'processing'],
    failed: ['requires_input', 'canceled', 'processing'],
    canceled: ['canceled', 'verified', 'requires_input'],
  } as const

  it.each(Object.entries(moves))(
    'changes nothing after a check has ended as %s',
    async (status, [first, ...late]) => {
      const operator = await newOperator()
      await start(operator)
      const session = await kyc.openSession(operator)
      await kyc.send(first, session)
      const before = await stateOf(operator)
      expect(before.history[0].status).toBe(status)
      for (const type of [first, ...late]) expect((await kyc.send(type, session)).status).toBe(200)
      expect(await stateOf(operator)).toEqual(before)
    },
  )

  it('verifies once if a rejected person tries again in the same session', async () => {
    const [operator, receiver] = [await newOperator(), await startReceiver()]
    const platform = await h.newPlatform(await newOperator(), {
      webhook_url: receiver.url,
      event_types: ['operator.kyc_verified'],
    })
    await h.newAgent(operator, { platform_slug: platform.slug })
    await start(operator)
    const session = await kyc.openSession(operator)
    await kyc.send('requires_input', session)
    expect(await statusOf(operator)).toBe('failed')
    await start(operator) // a second check, no longer needed once the first one succeeds
    for (const type of ['verified', 'requires_input', 'verified', 'canceled'] as const) {
      await kyc.send(type, session)
    }
    const { kyc_status, kyc_verified_at, history } = await stateOf(operator)
    expect(kyc_status).toBe('verified')
    expect(history).toMatchObject([
      { status: 'pending' },
      { status: 'verified', reason: null, completed_at: kyc_verified_at },
    ])
    expect(await audited(operator)).toEqual(['kyc.started', 'kyc.failed', 'kyc.started', 'kyc.verified'])
    await receiver.arrival(1)
    expect(receiver.received).toHaveLength(1)
    await receiver.stop()
  })

  it('accepts events that do not end a check or come late, and changes nothing', async () => {
    const operator = await newOperator()
    await start(operator)
    const session = await kyc.openSession(operator)
    const before = await stateOf(operator)
    expect((await kyc.send('created', session)).status).toBe(200)
    expect((await kyc.send('processing', session)).status).toBe(200)
    expect((await kyc.send('requires_input', session, { fields: { last_error: null } })).status).toBe(200)
    expect((await kyc.send('verified', 'vs_nobody')).status).toBe(200)
    expect(await stateOf(operator)).toEqual(before)
    // A late report about a previous check does not change the next one either.
    await kyc.send('canceled', session)
    await start(operator)
    const next = await stateOf(operator)
    for (const type of ['verified', 'requires_input', 'canceled'] as const) await kyc.send(type, session)
    expect(await stateOf(operator)).toEqual(next)
  })

  it('rejects a request without a valid signature, or signed more than five minutes ago', async () => {
    const operator = await newOperator()
    await start(operator)
    const session = await kyc.openSession(operator)
    const rejected = [
      await kyc.send('verified', session, { secret: 'whsec_other' }),
      await kyc.send('verified', session, { signedAt: plus(-301_000) }),
      await api('POST', '//internal/kyc/stripe', { body: '{}' }),
      await api('POST', '//internal/kyc/stripe', {
        body: '{}',
        headers: { 'Stripe-Signature': 't=1,v1=aa' },
      }),
    ]
    for (const response of rejected) {
      expectError(response, 401, 'UNAUTHORIZED', /Stripe-Signature/)
      expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    }
    expect(await statusOf(operator)).toBe('pending')
  })
})
