import { describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { type ApiResponse, expectError, freshEmail, shared } from '../support/harness.ts'
import { auditOf } from '../support/platforms.ts'
import { ISO, UUID } from '../support/shapes.ts'

const h = shared()
const { api, sql, newOperator, suspend, base_url, identity_url } = h
const { signInByMail, walkToCallback } = h
const TOKEN = /^reg_sess_[0-9A-Za-z]{59}$/

type Walk = Awaited<ReturnType<typeof walkToCallback>>

const finish = ({ path, cookie }: Walk, now?: Date): Promise<ApiResponse> =>
  api('GET', path, { headers: { Cookie: cookie }, ...(now && { now }) })

/** The callback of a sign-in with its query changed. */
const changed = (walk: Walk, changes: Record<string, string | null>): Walk => {
  const [path = '', query] = walk.path.split('?')
  const search = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) search.delete(name)
    else search.set(name, value)
  }
  return { ...walk, path: `${path}?${search}` }
}

it('GET /auth/sign-in redirects to the identity provider with fresh PKCE, state and nonce values', async () => {
  const email = freshEmail()
  const response = await api('GET', `/auth/sign-in?email=${email}`)
  expect(response.status).toBe(302)
  expect(response.headers.get('cache-control')).toMatch(/no-store/)
  const location = new URL(response.headers.get('location') ?? '')
  const query = Object.fromEntries(location.searchParams)
  expect(location.origin).toBe(new URL(identity_url).origin)
  const cookie = decodeURIComponent(response.headers.get('set-cookie') ?? '')
  const kept = Buffer.from(/=([^;]+)/.exec(cookie)?.[1] ?? '', 'base64').toString('latin1')
  expect(kept).not.toContain(query.state) // encrypted
  expect(query).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{40,}$/),
    nonce: expect.stringMatching(/^[\w-]{40,}$/),
    redirect_uri: `${base_url}/api/v1/auth/callback`,
    scope: expect.stringContaining('openid'),
    login_hint: email,
  })
  const again = new URL((await api('GET', '/auth/sign-in')).headers.get('location') ?? '')
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(again.searchParams.get(name)).not.toBe(query[name])
  }
  expect(again.searchParams.has('login_hint')).toBe(false)
})

describe('GET /auth/callback', () => {
  it('creates a session and returns its token', async () => {
    const email = freshEmail()
    const before = Date.now()
    const response = await finish(await walkToCallback(email))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toMatch(/no-store/)
    expect(response.headers.get('set-cookie')).toMatch(/Max-Age=0/i)
    const { session_token, expires_at, operator } = response.body
    expect(session_token).toMatch(TOKEN)
    const life = Date.parse(expires_at) - before
    expect(life).toBeGreaterThanOrEqual(30 * DAY_MS)
    expect(life).toBeLessThan(30 * DAY_MS + MINUTE_MS)
    expect(operator).toEqual({
      id: UUID,
      email,
      name: expect.stringMatching(/^Operator [0-9a-f]{6}$/),
      name_verified: false,
      company_name: null,
      company_url: null,
      avatar_url: null,
      role: 'operator',
      status: 'active',
      kyc_status: 'unverified',
      kyc_verified_at: null,
      kyc_expires_at: null,
      tier: 'free',
      agent_limit: 3,
      notification_prefs: {
        trust_alerts: true,
        incident_alerts: true,
        weekly_digest: true,
        kyc_reminders: true,
      },
      mail_opt_outs: [],
      mail_refused_at: null,
      created_at: ISO,
      updated_at: operator.created_at,
    })
    const me = await api('GET', '/operators/me', { token: session_token })
    expect(me.body).toEqual(operator)
  })

  it('recognizes an operator in any case of the email address, among those of other providers', async () => {
    const email = freshEmail()
    const first = await signInByMail(email)
    const me = async ({ token }: { token: string }) => (await api('GET', '/operators/me', { token })).body
    const before = await me(first)
    await sql(
      `insert into operators select (jsonb_populate_record(o, jsonb_build_object(
         'id', gen_random_uuid(), 'issuer', 'https://id.example'))).* from operators o where id = $1`,
      [first.id],
    )
    const second = await signInByMail(email.toUpperCase())
    const direct = await newOperator({ email })
    expect([second.id, direct.id]).toEqual([first.id, first.id])
    expect(await me(second)).toEqual(before)
  })

  it('stores the IP address and the first 500 characters of the user agent, but not the token', async () => {
    const walk = await walkToCallback()
    const browser = 'Browser/1 '.padEnd(500, 'x')
    const headers = { Cookie: walk.cookie, 'User-Agent': `${browser}y` }
    const { body } = await api('GET', walk.path, { headers, ip: '203.0.113.9' })
    const token: string = body.session_token
    const [session] = await sql('select to_jsonb(s) as row from sessions s where id = $1', [
      token.slice(9, 17),
    ])
    expect(session.row).toMatchObject({
      operator_id: body.operator.id,
      ip: '203.0.113.9',
      user_agent: browser,
      ended_at: null,
    })
    expect(JSON.stringify(session.row)).not.toContain(token.slice(17))
  })

  it('rejects a changed query, cookie or browser, a late callback, and a code that was used before', async () => {
    const [walk, theirs] = await Promise.all([walkToCallback(), walkToCallback()])
    const wrongs = [
      changed(walk, { code: 'x' }),
      changed(walk, { code: null }),
      changed(walk, { state: 'x' }),
      changed(walk, { state: null }),
      changed(walk, { iss: 'https://evil.example' }),
      { ...walk, path: `${walk.path}&code=second` },
      { ...walk, cookie: `${walk.cookie.slice(0, -8)}AAAAAAAA` },
      { ...walk, cookie: 'reg_sign_in=bm90IG91cnM' },
      { ...walk, cookie: 'reg_sign_in=%00' },
      { ...walk, cookie: theirs.cookie },
      { ...walk, cookie: '' },
      { path: '/auth/callback', cookie: '' },
    ]
    for (const wrong of wrongs) expectError(await finish(wrong), 400, 'VALIDATION_ERROR', /sign-in/)
    const late = new Date(Date.now() + 21 * MINUTE_MS)
    expectError(await finish(walk, late), 400, 'VALIDATION_ERROR', /more than 20 minutes ago/)
    expect((await finish(theirs)).status).toBe(200)
    expectError(await finish(theirs), 400, 'VALIDATION_ERROR')
  })

  it('rejects a canceled sign-in, and a suspended operator, and creates no session', async () => {
    const canceled = changed(await walkToCallback(), { code: null, error: 'access_denied' })
    expectError(await finish(canceled), 403, 'FORBIDDEN', /canceled/)
    const operator = await newOperator()
    await suspend(operator)
    expectError(await finish(await walkToCallback(operator.email)), 403, 'FORBIDDEN', /suspended/)
    expect(await sql('select 1 from sessions where operator_id = $1', [operator.id])).toHaveLength(1)
    expect(await auditOf(h, operator, 'session.started')).toHaveLength(1)
  })
})

it('a session accepts any case of the Bearer scheme, and spaces around the token', async () => {
  const { token } = await newOperator()
  for (const Authorization of [`bearer ${token}`, `BEARER   ${token}`, `Bearer ${token} `]) {
    expect((await api('GET', '/operators/me', { headers: { Authorization } })).status).toBe(200)
  }
})
