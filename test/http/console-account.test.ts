import { describe, expect, it } from 'vitest'
import { endpoints } from '../../src/app.ts'
import { MAIL_OPT_OUTS } from '../../src/db/enums.ts'
import { newVisitor, openConsole, problemAt } from '../support/console.ts'
import { anyPath } from '../support/contract.ts'
import { freshEmail, freshIp, type Operator, shared } from '../support/harness.ts'

const h = shared()
const ACCOUNT = '/console/account'
const HOSTILE = `"><script>alert('x')</script>&`

const meOf = async ({ token }: Operator) => (await h.api('GET', '/operators/me', { token })).body

describe('the account', () => {
  it('saves the name, keeps what only the API asks for, and shows an error at the field', async () => {
    const { operator, visitor } = await newVisitor(h)
    const { token } = operator
    await h.api('PATCH', '/operators/me', { token, body: { company_name: 'Acme Ltd' } })
    const sent = await visitor.send(ACCOUNT, ACCOUNT, { name: 'Acme' })
    expect(sent).toMatchObject({ status: 303, location: `${ACCOUNT}?notice=name-set` })
    const rejected = await visitor.send(ACCOUNT, ACCOUNT, { name: `\u202e${HOSTILE}` })
    expect(rejected.status).toBe(400)
    expect(problemAt(rejected.text, 'name')).toMatch(/^must not contain control or invisible/)
    expect(rejected.text).toContain('&lt;script&gt;')
    expect(rejected.text).not.toContain('<script>alert')
    expect(await meOf(operator)).toMatchObject({ name: 'Acme', company_name: 'Acme Ltd' })
  })

  it('turns off the notifications and emails that are not checked', async () => {
    const { operator, visitor } = await newVisitor(h)
    await visitor.send(ACCOUNT, `${ACCOUNT}/notifications`, {
      prefs: ['weekly_digest', 'kyc_reminders'],
      mail: ['incident_alert', 'ownership_lost'],
    })
    const { notification_prefs, mail_opt_outs } = await meOf(operator)
    expect(notification_prefs).toEqual({
      incident_alerts: false,
      trust_alerts: false,
      weekly_digest: true,
      kyc_reminders: true,
    })
    expect(mail_opt_outs).toHaveLength(MAIL_OPT_OUTS.length - 2)
    expect(mail_opt_outs).not.toContain('incident_alert')
  })

  it('shows that the email address was rejected, and resumes email on request', async () => {
    const { operator, visitor } = await newVisitor(h)
    expect((await visitor.get(ACCOUNT)).text).not.toContain('No email is sent')
    await h.sql('update operators set mail_refused_at = now() where id = $1', [operator.id])
    expect((await visitor.get(ACCOUNT)).text).toContain(`No email is sent to ${operator.email}.`)
    const sent = await visitor.send(ACCOUNT, `${ACCOUNT}/mail`, {})
    expect(sent.location).toBe(`${ACCOUNT}?notice=mail-resumed`)
    expect((await visitor.get(ACCOUNT)).text).not.toContain('No email is sent')
  })
})

describe('a token for a program', () => {
  const PATH = `${ACCOUNT}/tokens`
  const tokenIn = (text: string) => /reg_sess_[0-9A-Za-z]{59}/.exec(text)?.[0]

  it('is created and shown once, is valid for 30 days, and has the given name', async () => {
    const { operator, visitor } = await newVisitor(h)
    const fields = { ...(await visitor.fieldsOf(ACCOUNT, PATH)), token_name: 'nightly import' }
    const sent = await Promise.all([visitor.post(PATH, fields), visitor.post(PATH, fields)])
    const [made, again] = sent.sort((a, b) => a.status - b.status)
    expect(made?.status).toBe(200)
    expect(made?.headers.get('cache-control')).toMatch(/no-store/)
    const token = tokenIn(made?.text ?? '') ?? ''
    expect(await meOf({ ...operator, token })).toMatchObject({ id: operator.id })
    expect(again).toMatchObject({ status: 409, title: 'Already shown · Agent Registry' })
    expect(tokenIn(again?.text ?? '')).toBeUndefined()
    const { body } = await h.api('GET', '/auth/sessions', { token: operator.token })
    const named = body.data.filter(({ name }: { name: string | null }) => name === 'nightly import')
    expect(named).toHaveLength(1)
    expect(Date.parse(named[0].expires_at) - Date.parse(named[0].created_at)).toBe(30 * 86_400_000)
    expect(body.data.filter(({ name }: { name: string | null }) => name === null)).toHaveLength(2)
  })

  it('has the name in the URL that the command line opens, also after a sign-in', async () => {
    const { visitor } = await newVisitor(h)
    const page = await visitor.get(`${ACCOUNT}?token_name=CLI`)
    expect(page).toMatchObject({
      status: 200,
      text: expect.stringContaining('name="token_name" type="text" value="CLI"'),
    })
    const hostile = await visitor.get(`${ACCOUNT}?token_name=${encodeURIComponent(HOSTILE)}`)
    expect(hostile.text).not.toContain('<script>alert')
    const stranger = await fetch(`${h.base_url}${ACCOUNT}?token_name=CLI`, {
      headers: { 'CF-Connecting-IP': freshIp(), Accept: 'text/html' },
    })
    const to = encodeURIComponent(`${ACCOUNT}?token_name=CLI`)
    expect(await stranger.text()).toContain(`href="/console/sign-in?to=${to}"`)
  })

  it('requires a name, and is rejected at the session quota, at which no other session ends', async () => {
    const { operator, visitor } = await newVisitor(h)
    const unnamed = await visitor.send(ACCOUNT, PATH, { token_name: '' })
    expect(unnamed.status).toBe(400)
    expect(problemAt(unnamed.text, 'token_name')).toMatch(/^must not be empty/)
    for (let n = 0; n < 18; n++) await h.newOperator({ email: operator.email })
    const sent = await visitor.send(ACCOUNT, PATH, { token_name: 'one too many' })
    expect(sent.status).toBe(409)
    expect(sent.text).toMatch(/your tier allows 20 active sessions: revoke one/i)
    for (const { text } of [unnamed, sent]) expect(tokenIn(text)).toBeUndefined()
    expect(await meOf(operator)).toMatchObject({ id: operator.id })
  })
})

it('sessions end one by one, and all at once, with or without the current one', async () => {
  const { operator, visitor } = await newVisitor(h)
  const second = await h.newOperator({ email: operator.email })
  const statusOf = async ({ token }: Operator) => (await h.api('GET', '/operators/me', { token })).status
  const sent = await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/${operator.token.slice(9, 17)}/end`, {})
  expect(sent.location).toBe(`${ACCOUNT}?notice=session-ended`)
  expect([await statusOf(operator), await statusOf(second)]).toEqual([401, 200])
  await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/end-others`, {})
  expect(await statusOf(second)).toBe(401)
  expect((await visitor.get(ACCOUNT)).status).toBe(200)
  const out = await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/end-all`, {})
  expect(out).toMatchObject({ status: 303, location: '/' })
  expect(out.headers.get('set-cookie')).toMatch(/^reg_console=;.*Max-Age=0/)
  expect((await visitor.get(ACCOUNT)).status).toBe(401)
})

describe('the identity check', () => {
  const linkIn = (text: string) =>
    /href="(\/console\/account\/kyc\?[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

  it('redirects to the provider, and shows on the account page that it is pending', async () => {
    const { operator, visitor } = await newVisitor(h)
    const link = linkIn((await visitor.get(ACCOUNT)).text)
    const sent = await visitor.get(link ?? '')
    expect(sent.status).toBe(303)
    expect(sent.location).toMatch(`${h.kyc_url}/`)
    expect(await meOf(operator)).toMatchObject({ kyc_status: 'pending' })
    const { text } = await visitor.get(ACCOUNT)
    expect(text).toContain('Continue the check')
    expect(text).toContain('data-live="changing"') // the page asks again until the check has ended
  })

  it('is started only by a GET request of its own link, and not by a prefetch', async () => {
    const { operator, visitor } = await newVisitor(h)
    const other = await openConsole(h, freshEmail())
    const [link = '', foreign = ''] = await Promise.all(
      [visitor, other].map(async (one) => linkIn((await one.get(ACCOUNT)).text)),
    )
    const statusOf = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
      const init = { method, headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp(), ...headers } }
      return (await fetch(h.base_url + path, { redirect: 'manual', ...init })).status
    }
    expect([
      await statusOf(`${ACCOUNT}/kyc`),
      await statusOf(foreign),
      await statusOf(link, 'HEAD'),
      await statusOf(link, 'GET', { 'Sec-Purpose': 'prefetch;prerender' }),
    ]).toEqual([403, 403, 403, 403])
    expect(await meOf(operator)).toMatchObject({ kyc_status: 'unverified' })
    expect(await statusOf(link)).toBe(303)
  })
})

describe('the cookie of the console', () => {
  const guarded = endpoints.filter(({ access }) => access.by !== 'anyone' && access.by !== 'address')

  it('is not accepted by any route of the API', async () => {
    expect(guarded.length).toBeGreaterThan(30)
    const { visitor } = await newVisitor(h)
    const statuses = await Promise.all(
      guarded.map(async ({ method, path, operationId }) => {
        const { status } = await fetch(`${h.base_url}/api/v1${anyPath(path)}`, {
          method: method.toUpperCase(),
          headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp() },
        })
        return [operationId, status]
      }),
    )
    expect(statuses).toEqual(guarded.map(({ operationId }) => [operationId, 401]))
  })

  it('is ignored by public routes', async () => {
    const { operator, visitor } = await newVisitor(h)
    const { reg } = await h.newAgent(operator)
    const requested = await fetch(`${h.base_url}/api/v1/agents/${reg}/activity`, {
      headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp() },
    })
    expect(requested.headers.get('cache-control')).toMatch(/^public/)
  })
})
