import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { plus } from '../support/day.ts'
import { deliveriesOf } from '../support/deliveries.ts'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'
import { freshPerson, kycControl, START } from '../support/kyc.ts'
import { auditOf } from '../support/platforms.ts'
import { expectWait } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator } = h
const kyc = kycControl(h)

async function start(operator: Operator, now?: Date): Promise<string> {
  const response = await api('POST', START, { token: operator.token, ...(now && { now }) })
  expect(response.status, response.text).toBe(200)
  expect(response.body.verification_url).toMatch(/^http:/)
  return response.body.verification_url
}

/** Starts a check; returns its session at the provider. */
async function openSession(operator: Operator): Promise<string> {
  await start(operator)
  return kyc.openSession(operator)
}

const stateOf = async ({ token }: Operator) => (await api('GET', '/operators/me/kyc', { token })).body
const statusesOf = async (operator: Operator) =>
  (await stateOf(operator)).history.map(({ status }: Body) => status)
const statusOf = async ({ token }: Operator) =>
  (await api('GET', '/operators/me', { token })).body.kyc_status as string

const audited = async (operator: Operator) =>
  (await auditOf(h, operator, 'kyc.%')).map(({ action }) => action)

/** Lets a check end at the provider while the registry does not know its session. */
async function decideUnseen(operator: Operator, url: string, form: Record<string, string>): Promise<void> {
  const hide = (prefix: string) =>
    sql(
      `update kyc_checks set provider_session_id = $2 || ltrim(provider_session_id, '-') where operator_id = $1`,
      [operator.id, prefix],
    )
  await hide('-')
  await kyc.decide(url, form)
  await expect.poll(kyc.undelivered).toBe(0)
  await hide('')
}

describe('POST /operators/me/kyc/start', () => {
  it('returns the verification URL, and shows a pending check without ids, URLs or secrets of the provider', async () => {
    const operator = await newOperator()
    expect(await stateOf(operator)).toEqual({
      kyc_status: 'unverified',
      kyc_verified_at: null,
      kyc_expires_at: null,
      history: [],
    })
    const response = await api('POST', START, { token: operator.token })
    expect(response.body).toEqual({ kyc_status: 'pending', verification_url: expect.any(String) })
    expect(await statusOf(operator)).toBe('pending')
    expect(await audited(operator)).toEqual(['kyc.started'])
    const { history } = await stateOf(operator)
    expect(JSON.stringify(history)).not.toMatch(/vs_|http|secret|evt_/)
    expect(history.map(Object.keys)).toEqual([
      ['id', 'status', 'provider', 'created_at', 'completed_at', 'reason'],
    ])
  })

  it('returns the same URL for 24 hours while the provider knows it, then creates a new check, and cancels the old one', async () => {
    const operator = await newOperator()
    const url = await start(operator)
    expect(await start(operator, plus(24 * HOUR_MS - 60_000))).toBe(url)
    expect(await kyc.sessionsOf(operator)).toHaveLength(1)
    expect(await start(operator, plus(24 * HOUR_MS + 1_000))).not.toBe(url)
    const { kyc_status, history } = await stateOf(operator)
    expect(kyc_status).toBe('pending')
    expect(history).toMatchObject([
      { status: 'pending', completed_at: null, reason: null },
      { status: 'canceled', completed_at: expect.any(String), reason: 'not completed within 24 hours' },
    ])
    await expect
      .poll(async () => (await kyc.sessionsOf(operator)).map(({ status }) => status))
      .toEqual(['requires_input', 'canceled'])
    await sql(`update kyc_checks set provider_session_id = 'unknown' || id where operator_id = $1`, [
      operator.id,
    ])
    await start(operator, plus(24 * HOUR_MS + 2_000)) // as the provider does not know the pending one
    expect(await statusesOf(operator)).toEqual(['pending', 'canceled', 'canceled'])
  })

  it('reads the result from the provider if no webhook has reported it', async () => {
    const operator = await newOperator()
    const [url, person] = [await start(operator), freshPerson()]
    await decideUnseen(operator, url, { outcome: 'reject', code: 'under_supported_age' })
    await decideUnseen(operator, await start(operator), { outcome: 'approve', ...person })
    expectError(await api('POST', START, { token: operator.token }), 409, 'CONFLICT', /already verified/)
    expect((await stateOf(operator)).history).toMatchObject([
      { status: 'verified' },
      { status: 'failed', reason: 'The person is under the supported age.' },
    ])
    await sql(`update operators set kyc_status = 'expired', kyc_expires_at = kyc_verified_at where id = $1`, [
      operator.id,
    ])
    await decideUnseen(operator, await start(operator), { outcome: 'approve', ...freshPerson() })
    expectError(await api('POST', START, { token: operator.token }), 409, 'CONFLICT', /a different person/)
    expect(await statusOf(operator)).toBe('failed')
  })

  it('rejects a verified operator until 30 days before expiry, and keeps it verified during a renewal', async () => {
    const verifiedAt = new Date()
    const operator = await kyc.verifiedOperator(verifiedAt)
    const early = plus(335 * DAY_MS - HOUR_MS, verifiedAt)
    const soon = await newOperator({ email: operator.email, now: early })
    expectError(await api('POST', START, { token: soon.token, now: early }), 409, 'CONFLICT', /verified/)
    const now = plus(335 * DAY_MS + HOUR_MS, verifiedAt)
    const response = await api('POST', START, { token: soon.token, now })
    expect(response.body).toEqual({ kyc_status: 'verified', verification_url: expect.any(String) })
    await kyc.send('requires_input', await kyc.openSession(operator), { now })
    expect(await statusOf(operator)).toBe('verified')
    await start(soon, plus(HOUR_MS, now))
    await kyc.send('verified', await kyc.openSession(operator), { now: plus(DAY_MS, now) })
    const { kyc_expires_at } = await stateOf(operator)
    expect(new Date(kyc_expires_at).getTime()).toBeGreaterThan(plus(365 * DAY_MS, now).getTime())
    expect(await statusesOf(operator)).toEqual(['verified', 'failed', 'verified'])
  })

  it('rejects the sixth check of a UTC day, and says when the next one can start', async () => {
    const operator = await newOperator()
    const day = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS)
    const [now, next] = [plus(5_000, day), plus(DAY_MS, day)]
    await sql('update operators set kyc_day = $2, kyc_opened = 4 where id = $1', [operator.id, day])
    await start(operator, now)
    await kyc.send('requires_input', await kyc.openSession(operator), { now })
    const response = await api('POST', START, { token: operator.token, now })
    expectError(
      response,
      429,
      'RATE_LIMITED',
      RegExp(`5 identity checks per UTC day.* ${next.toISOString()}$`),
    )
    expectWait(response, (DAY_MS - 5_000) / 1000)
    expect(await kyc.sessionsOf(operator)).toHaveLength(1)
    await start(operator, next)
  })
})

it('GET /operators/me/kyc has the newest 100 checks', async () => {
  const operator = await newOperator()
  await sql(
    `insert into kyc_checks (id, operator_id, provider, provider_session_id, status, previous_status, created_at, reason)
     select gen_random_uuid(), $1, 'stripe', gen_random_uuid(), 'failed', 'unverified', now() - n * interval '1 day', n
     from generate_series(1, 101) n`,
    [operator.id],
  )
  const { history } = await stateOf(operator)
  expect(history.map(({ reason }: Body) => Number(reason))).toEqual(
    Array.from({ length: 100 }, (_, n) => n + 1),
  )
})

describe('POST /internal/kyc/stripe', () => {
  it('fails a check with the reason of the provider; a later one that is canceled leaves the operator failed', async () => {
    const operator = await newOperator()
    await kyc.decide(await start(operator), { outcome: 'reject', code: 'selfie_face_mismatch' })
    await expect.poll(() => statusOf(operator)).toBe('failed')
    const reason = 'The face in the selfie does not match the face on the document.'
    expect((await stateOf(operator)).history).toMatchObject([{ status: 'failed', reason }])
    const session = await openSession(operator)
    expect(await statusOf(operator)).toBe('pending')
    await kyc.stripe.identity.verificationSessions.cancel(session)
    await expect.poll(() => statusOf(operator)).toBe('failed')
    await start(operator)
    expect(await audited(operator)).toEqual([
      ...['kyc.started', 'kyc.failed', 'kyc.started', 'kyc.canceled', 'kyc.started'],
    ])
  })

  it('verifies once if a rejected person tries again in the same session, and ignores what does not end a check', async () => {
    const operator = await newOperator()
    const session = await openSession(operator)
    const before = await stateOf(operator)
    for (const sent of [
      await kyc.send('created', session),
      await kyc.send('processing', session),
      await kyc.send('requires_input', session, { fields: { last_error: null } }),
      await kyc.send('verified', 'vs_nobody'),
    ])
      expect(sent.status).toBe(200)
    expect(await stateOf(operator)).toEqual(before)
    await kyc.send('requires_input', session)
    await start(operator) // a second check, no longer needed once the first one succeeds
    for (const type of ['verified', 'requires_input', 'verified', 'canceled'] as const)
      expect((await kyc.send(type, session)).status).toBe(200)
    const { kyc_status, kyc_verified_at, kyc_expires_at, history } = await stateOf(operator)
    expect(kyc_status).toBe('verified')
    expect(Date.parse(kyc_expires_at) - Date.parse(kyc_verified_at)).toBe(365 * DAY_MS)
    expect(history).toMatchObject([
      { status: 'pending' },
      { status: 'verified', reason: null, completed_at: kyc_verified_at },
    ])
    expect(await audited(operator)).toEqual(['kyc.started', 'kyc.failed', 'kyc.started', 'kyc.verified'])
  })

  it('notifies each platform once, naming only the agents that it receives events about', async () => {
    const [operator, host] = await Promise.all([newOperator({ tier: 'pro' }), newOperator()])
    const newPlatform = (fields: object = {}) =>
      h.newPlatform(host, { webhook_url: 'http://127.0.0.1:9/hook', ...fields })
    const [one, two, byApproval] = [
      await newPlatform(),
      await newPlatform(),
      await newPlatform({ admission: 'approval' }),
    ]
    await h.newAgent(operator, { platform_slug: byApproval.slug })
    await h.newAgent(operator)
    const regs: string[] = []
    for (const { slug } of [one, two, two])
      regs.push((await h.newAgent(operator, { platform_slug: slug })).reg)
    const { name } = (await api('GET', '/operators/me', { token: operator.token })).body
    const session = await openSession(operator)
    const id = `evt_${crypto.randomUUID()}`
    for (const _ of [1, 2, 3]) expect((await kyc.send('verified', session, { id })).status).toBe(200)
    const { kyc_verified_at } = await stateOf(operator)
    const sentTo = async (platform: Body) =>
      (await deliveriesOf(h, platform)).flatMap(({ type, data }) =>
        type === 'operator.kyc_verified' ? [data] : [],
      )
    const data = (of: string[]) => ({
      operator_id: operator.id,
      operator_name: name,
      operator_name_verified: false,
      kyc_status: 'verified',
      kyc_verified_at,
      regs: of,
    })
    expect(await sentTo(one)).toEqual([data(regs.slice(0, 1))])
    expect(await sentTo(two)).toEqual([data(regs.slice(1))])
    expect(await sentTo(byApproval)).toEqual([])
  })

  it('names at most 1,000 agents on a platform, the oldest, and says if there are more', async () => {
    const [operator, host] = await Promise.all([newOperator(), newOperator()])
    const full = await h.newPlatform(host, { webhook_url: 'http://127.0.0.1:9/hook' })
    const over = await h.newPlatform(host, { webhook_url: 'http://127.0.0.1:9/hook' })
    const made = await sql(
      `insert into agents (id, reg, operator_id, platform_id, platform_state, platform_since, name, description, class, specializations, registered_at)
       select gen_random_uuid(), agent_number(1990, 8, n), $1, p.id, 'claimed', now(), 'many', '', 'A', '{}', now() + n * interval '1 ms'
       from generate_series(1, 2001) n join platforms p on p.slug = case when n <= 1000 then $2 else $3 end returning reg, registered_at`,
      [operator.id, full.slug, over.slug],
    )
    const regs = made.sort((a, b) => a.registered_at - b.registered_at).map(({ reg }) => reg)
    await kyc.send('verified', await openSession(operator))
    const sentTo = async (platform: Body) => (await deliveriesOf(h, platform)).map(({ data }) => data)
    expect(await sentTo(full)).toMatchObject([{ regs: regs.slice(0, 1_000) }])
    expect(await sentTo(full)).not.toMatchObject([{ truncated: true }])
    expect(await sentTo(over)).toMatchObject([{ regs: regs.slice(1_000, 2_000), truncated: true }])
  })
})

describe('without the provider, or a key that can read the identity', () => {
  /** A check that the provider has verified, but whose webhook has not arrived. */
  async function verifiedUnseen() {
    const operator = await newOperator()
    const url = await start(operator)
    const session = await kyc.openSession(operator)
    await decideUnseen(operator, url, { outcome: 'approve', ...freshPerson() })
    return { operator, session }
  }

  const identityOf = async ({ id }: Operator) =>
    (await sql('select kyc_identity from operators where id = $1', [id]))[0].kyc_identity

  it('returns 503 and changes nothing; a check completes when the webhook is sent again', async () => {
    await using down = await h.variant({ STRIPE_API_URL: 'http://127.0.0.1:9' })
    await using limited = await h.variant({ STRIPE_SECRET_KEY: kyc.secretKey() })
    const operator = await newOperator()
    const response = await down.api('POST', START, { token: operator.token })
    expectError(response, 503, 'SERVICE_UNAVAILABLE', /provider/)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await statusOf(operator)).toBe('unverified')

    const verified = await verifiedUnseen()
    for (const { api } of [down, limited])
      expect((await kycControl({ ...h, api }).send('verified', verified.session)).status).toBe(503)
    expect((await limited.api('POST', START, { token: verified.operator.token })).status).toBe(503)
    expect(await statusOf(verified.operator)).toBe('pending')
    expect((await kyc.send('verified', verified.session)).status).toBe(200)
    expect(await statusOf(verified.operator)).toBe('verified')
    expect(await identityOf(verified.operator)).not.toBeNull()
  })

  it('accepts a check without an identity after four days', async () => {
    const { operator, session } = await verifiedUnseen()
    await using limited = await h.variant({ STRIPE_SECRET_KEY: kyc.secretKey() })
    const late = { now: plus(4 * DAY_MS + 60_000) }
    expect((await kycControl({ ...h, api: limited.api }).send('verified', session, late)).status).toBe(200)
    expect(await statusOf(operator)).toBe('verified')
    expect(await identityOf(operator)).toBeNull()
  })
})
