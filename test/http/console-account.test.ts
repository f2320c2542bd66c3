import { describe, expect, it } from 'vitest'
import { endpoints } from '../../src/app.ts'
import { MAIL_OPT_OUTS } from '../../src/db/enums.ts'
import { newVisitor, openConsole, problemAt } from '../support/console.ts'
import { anyPath } from '../support/contract.ts'
import { type Body, freshEmail, freshIp, type Operator, shared } from '../support/harness.ts'
import { auditOf } from '../support/platforms.ts'

const h = shared()
const ACCOUNT = '/console/account'
const HOSTILE = `"><script>alert('x')</script>&`

const meOf = async ({ token }: Operator) => (await h.api('GET', '/operators/me', { token })).body

it('the account saves the name and what is not checked, keeps what only the API asks for, and shows an error at the field', async () => {
  const { operator, visitor } = await newVisitor(h)
  const { token } = operator
  await h.api('PATCH', '/operators/me', { token, body: { company_name: 'Acme Ltd' } })
  const sent = await visitor.send(ACCOUNT, ACCOUNT, { name: 'Acme' })
  expect(sent).toMatchObject({ status: 303, location: ACCOUNT, notice: 'name-set.0' })
  const rejected = await visitor.send(ACCOUNT, ACCOUNT, { name: `\u202e${HOSTILE}` })
  expect(rejected.status).toBe(400)
  expect(problemAt(rejected.text, 'name')).toMatch(/^must not contain control or invisible/)
  expect(rejected.text).toContain('&lt;script&gt;')
  expect(rejected.text).not.toContain('<script>alert')
  await visitor.send(ACCOUNT, `${ACCOUNT}/notifications`, {
    prefs: ['weekly_digest', 'kyc_reminders'],
    mail: ['incident_alert', 'ownership_lost'],
  })
  const me = await meOf(operator)
  expect(me).toMatchObject({
    name: 'Acme',
    company_name: 'Acme Ltd',
    notification_prefs: {
      incident_alerts: false,
      trust_alerts: false,
      weekly_digest: true,
      kyc_reminders: true,
    },
  })
  expect(me.mail_opt_outs).toHaveLength(MAIL_OPT_OUTS.length - 2)
  expect(me.mail_opt_outs).not.toContain('incident_alert')
  const { text } = await visitor.get(ACCOUNT)
  expect(text).toContain('<bdi class="who">Acme</bdi>')
  const ticked = [...text.matchAll(/<input type="checkbox"[^>]*value="([^"]*)" checked>/g)]
  expect(ticked.map(([, value]) => value)).toEqual([
    'weekly_digest',
    'kyc_reminders',
    'incident_alert',
    'ownership_lost',
  ])
})

it('the account shows that the email address was rejected, and resumes email on request', async () => {
  const { operator, visitor } = await newVisitor(h)
  await h.sql('update operators set mail_refused_at = now() where id = $1', [operator.id])
  expect((await visitor.get(ACCOUNT)).text).toContain(`No email is sent to ${operator.email}.`)
  const sent = await visitor.send(ACCOUNT, `${ACCOUNT}/mail`, {})
  expect(sent).toMatchObject({ location: ACCOUNT, notice: 'mail-resumed.0' })
  expect((await visitor.get(ACCOUNT)).text).not.toContain('No email is sent')
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
    const named = body.data.filter(({ name }: Body) => name !== null)
    expect(named).toMatchObject([{ name: 'nightly import' }])
    expect(Date.parse(named[0].expires_at) - Date.parse(named[0].created_at)).toBe(30 * 86_400_000)
    expect(await auditOf(h, operator, 'session.started')).toContainEqual(
      expect.objectContaining({ target: named[0].id }),
    )
  })

  it('requires a name, which may be in the URL, and ends no other session at the session quota', async () => {
    const { operator, visitor } = await newVisitor(h)
    const page = await visitor.get(`${ACCOUNT}?token_name=${encodeURIComponent(`CLI ${HOSTILE}`)}`)
    expect(page.text).toContain('name="token_name" type="text" value="CLI &quot;')
    expect(page.text).not.toContain('<script>alert')
    const path = `${ACCOUNT}?token_name=CLI`
    const stranger = await fetch(h.base_url + path, {
      headers: { Accept: 'text/html', 'CF-Connecting-IP': freshIp() },
    })
    expect(await stranger.text()).toContain(`href="/console/sign-in?to=${encodeURIComponent(path)}"`)
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

  it('takes one of the changes of the day', async () => {
    const { operator, visitor } = await newVisitor(h)
    await h.sql(`insert into allowances values ($1, 'changes', '2099-01-01', 499)`, [operator.id])
    const sent = [
      await visitor.send(ACCOUNT, PATH, { token_name: 'last' }),
      await visitor.send(ACCOUNT, PATH, { token_name: 'one too many' }),
    ]
    expect(sent.map(({ status }) => status)).toEqual([200, 429])
    expect(sent[1]?.text).toContain('500 changes to your account per UTC day')
    expect(tokenIn(sent[1]?.text ?? '')).toBeUndefined()
  })
})

it('sessions end one by one, and all at once, with or without the current one', async () => {
  const { operator, visitor } = await newVisitor(h)
  const second = await h.newOperator({ email: operator.email })
  for (const agent of ['a program', 'Firefox/140.0', 'Windows Chrome/140.0 Edg/140.0'])
    await openConsole(h, operator.email, { 'User-Agent': agent })
  await h.sql(`update sessions set name = 'CLI' where user_agent = 'a program' and operator_id = $1`, [
    operator.id,
  ])
  const { text } = await visitor.get(ACCOUNT)
  for (const shown of [
    '<bdi>CLI</bdi> <span class="tag quiet">Program</span>',
    'aria-label="Revoke the session CLI"',
    'aria-label="Revoke the session Firefox"',
    'aria-label="Revoke the session Edge on Windows"',
  ])
    expect(text).toContain(shown)
  const statusOf = async ({ token }: Operator) => (await h.api('GET', '/operators/me', { token })).status
  const sent = await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/${operator.token.slice(9, 17)}/end`, {})
  expect(sent).toMatchObject({ location: ACCOUNT, notice: 'session-ended.0' })
  expect([await statusOf(operator), await statusOf(second)]).toEqual([401, 200])
  await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/end-others`, {})
  expect(await statusOf(second)).toBe(401)
  const out = await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/end-all`, {})
  expect(out).toMatchObject({ status: 303, location: '/' })
  expect(out.headers.get('set-cookie')).toMatch(/^reg_console=;.*Max-Age=0/)
  expect((await visitor.get(ACCOUNT)).status).toBe(401)
})

it('the account offers to renew an identity check that ends soon, and says what a new name changes', async () => {
  const { operator, visitor } = await newVisitor(h)
  const shownAt = async (daysLeft: number, nameVerified: string | null) => {
    await h.sql(
      `update operators set kyc_status = 'verified', kyc_verified_at = now(), name_verified_at = $3::timestamptz,
         kyc_identity = id::text, kyc_expires_at = now() + $2 * interval '1 day' where id = $1`,
      [operator.id, daysLeft, nameVerified],
    )
    const { text } = await visitor.get(ACCOUNT)
    return [text.includes('>Renew</a>'), text.includes('Your name has changed since then')]
  }
  expect(await shownAt(300, new Date().toISOString())).toEqual([false, false])
  expect(await shownAt(2, null)).toEqual([true, true])
})

it('the identity check starts only at a GET request of its own link, and the account shows that it is pending', async () => {
  const linkIn = (text: string) =>
    /href="(\/console\/account\/kyc\?[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  const { operator, visitor } = await newVisitor(h)
  const other = await openConsole(h, freshEmail())
  const [link = '', foreign = ''] = await Promise.all(
    [visitor, other].map(async (one) => linkIn((await one.get(ACCOUNT)).text)),
  )
  const open = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    h.api(method, `/${path}`, { headers: { Cookie: visitor.cookie, ...headers } })
  const rejected = [
    await open(`${ACCOUNT}/kyc`),
    await open(foreign),
    await open(link, 'HEAD'),
    await open(link, 'GET', { 'Sec-Purpose': 'prefetch;prerender' }),
  ]
  expect(rejected.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect(await meOf(operator)).toMatchObject({ kyc_status: 'unverified' })
  const sent = await visitor.get(link)
  expect(sent.status).toBe(303)
  expect(sent.location).toMatch(`${h.kyc_url}/`)
  expect(await meOf(operator)).toMatchObject({ kyc_status: 'pending' })
  const { text } = await visitor.get(ACCOUNT)
  expect(text).toContain('Continue the check')
  expect(text).toContain('data-live="changing"') // the page asks again until the check has ended
})

it('the cookie of the console is not accepted by any route of the API, and ignored by public ones', async () => {
  const guarded = endpoints.filter(({ access }) => access.by !== 'anyone' && access.by !== 'address')
  expect(guarded.length).toBeGreaterThan(30)
  const { operator, visitor } = await newVisitor(h)
  const read = async (method: string, path: string) =>
    fetch(`${h.base_url}/api/v1${path}`, {
      method,
      headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp() },
    })
  const statuses = await Promise.all(
    guarded.map(async ({ method, path, operationId }) => {
      const { status } = await read(method.toUpperCase(), anyPath(path))
      return [operationId, status]
    }),
  )
  expect(statuses).toEqual(guarded.map(({ operationId }) => [operationId, 401]))
  const { reg } = await h.newAgent(operator)
  expect((await read('GET', `/agents/${reg}/activity`)).headers.get('cache-control')).toMatch(/^public/)
})
