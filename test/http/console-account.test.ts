import { describe, expect, it } from 'vitest'
import { endpoints } from '../../src/app.ts'
import { MAIL_OPT_OUTS } from '../../src/db/enums.ts'
import { openConsole } from '../support/console.ts'
import { freshEmail, freshIp, shared } from '../support/harness.ts'

const h = shared()
const ACCOUNT = '/console/account'
const HOSTILE = `"><script>alert('x')</script>&`

async function newVisitor() {
  const operator = await h.newOperator({ email: freshEmail() })
  return { operator, visitor: await openConsole(h, operator.email) }
}

describe('the account', () => {
  it('saves the name, and keeps what only the API asks for', async () => {
    const { operator, visitor } = await newVisitor()
    const { token } = operator
    await h.api('PATCH', '/operators/me', { token, body: { company_name: 'Acme Ltd' } })
    const sent = await visitor.send(ACCOUNT, ACCOUNT, { name: 'Acme' })
    expect(sent).toMatchObject({ status: 303, location: `${ACCOUNT}?notice=name-set` })
    const { body } = await h.api('GET', '/operators/me', { token })
    expect(body).toMatchObject({ name: 'Acme', company_name: 'Acme Ltd' })
  })

  it('shows an error at the field, keeps the input, and changes nothing', async () => {
    const { operator, visitor } = await newVisitor()
    const sent = await visitor.send(ACCOUNT, ACCOUNT, {
      name: `\u202e${HOSTILE}`,
    })
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/id="name-problem">must not contain control or invisible/)
    expect(sent.text).toContain('&lt;script&gt;')
    expect(sent.text).not.toContain('<script>alert')
    const { body } = await h.api('GET', '/operators/me', { token: operator.token })
    expect(body.name).not.toContain('script')
  })

  it('turns off the notifications that are not checked', async () => {
    const { operator, visitor } = await newVisitor()
    await visitor.send(ACCOUNT, `${ACCOUNT}/notifications`, { prefs: ['weekly_digest', 'kyc_reminders'] })
    const { body } = await h.api('GET', '/operators/me', { token: operator.token })
    expect(body.notification_prefs).toEqual({
      incident_alerts: false,
      trust_alerts: false,
      weekly_digest: true,
      kyc_reminders: true,
    })
  })

  it('turns off the emails that are not checked', async () => {
    const { operator, visitor } = await newVisitor()
    await visitor.send(ACCOUNT, `${ACCOUNT}/notifications`, { mail: ['incident_alert', 'ownership_lost'] })
    const { body } = await h.api('GET', '/operators/me', { token: operator.token })
    expect(body.mail_opt_outs).toHaveLength(MAIL_OPT_OUTS.length - 2)
    expect(body.mail_opt_outs).not.toContain('incident_alert')
  })

  it('shows that the email address was rejected, and resumes email on request', async () => {
    const { operator, visitor } = await newVisitor()
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

  it('is shown once, is valid for 30 days, and has the given name', async () => {
    const { operator, visitor } = await newVisitor()
    const fields = { ...(await visitor.fieldsOf(ACCOUNT, PATH)), token_name: 'nightly import' }
    const made = await visitor.post(PATH, fields)
    expect(made.status).toBe(200)
    expect(made.headers.get('cache-control')).toMatch(/no-store/)
    const token = tokenIn(made.text)
    expect((await h.api('GET', '/operators/me', { token: token ?? '' })).body.id).toBe(operator.id)
    const again = await visitor.post(PATH, fields)
    expect(again).toMatchObject({ status: 409, title: 'Already shown · Agent Registry' })
    expect(tokenIn(again.text)).toBeUndefined()
    const { body } = await h.api('GET', '/auth/sessions', { token: operator.token })
    const named = body.data.filter(({ name }: { name: string | null }) => name === 'nightly import')
    expect(named).toHaveLength(1)
    expect(Date.parse(named[0].expires_at) - Date.parse(named[0].created_at)).toBe(30 * 86_400_000)
    expect(body.data.filter(({ name }: { name: string | null }) => name === null)).toHaveLength(2)
  })

  it('is created once if its form is sent twice in parallel', async () => {
    const { operator, visitor } = await newVisitor()
    const fields = { ...(await visitor.fieldsOf(ACCOUNT, PATH)), token_name: 'once' }
    const sent = await Promise.all([visitor.post(PATH, fields), visitor.post(PATH, fields)])
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 409])
    const { body } = await h.api('GET', '/auth/sessions', { token: operator.token })
    expect(body.data.filter(({ name }: { name: string | null }) => name === 'once')).toHaveLength(1)
  })

  it('has the name in the URL that the command line opens, also after a sign-in', async () => {
    const { visitor } = await newVisitor()
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

  it('requires a name', async () => {
    const { visitor } = await newVisitor()
    const sent = await visitor.send(ACCOUNT, PATH, { token_name: '' })
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/id="token_name-problem">must not be empty/)
    expect(tokenIn(sent.text)).toBeUndefined()
  })

  it('is rejected at the session quota, and no other session ends', async () => {
    const operator = await h.newOperator({ email: freshEmail() })
    const visitor = await openConsole(h, operator.email)
    for (let n = 0; n < 18; n++) await h.newOperator({ email: operator.email })
    const sent = await visitor.send(ACCOUNT, PATH, { token_name: 'one too many' })
    expect(sent.status).toBe(409)
    expect(sent.text).toMatch(/your tier allows 20 active sessions: revoke one/i)
    expect((await h.api('GET', '/operators/me', { token: operator.token })).status).toBe(200)
  })
})

describe('sessions in the console', () => {
  const idOf = ({ token }: { token: string }) => token.slice(9, 17)

  it('end one by one', async () => {
    const { operator, visitor } = await newVisitor()
    const action = `${ACCOUNT}/sessions/${idOf(operator)}/end`
    const sent = await visitor.send(ACCOUNT, action, {})
    expect(sent.location).toBe(`${ACCOUNT}?notice=session-ended`)
    expect((await h.api('GET', '/operators/me', { token: operator.token })).status).toBe(401)
    expect((await visitor.get(ACCOUNT)).status).toBe(200)
  })

  it('end all at once, with or without the current one', async () => {
    const { operator, visitor } = await newVisitor()
    await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/end-others`, {})
    expect((await h.api('GET', '/operators/me', { token: operator.token })).status).toBe(401)
    expect((await visitor.get(ACCOUNT)).status).toBe(200)
    const out = await visitor.send(ACCOUNT, `${ACCOUNT}/sessions/end-all`, {})
    expect(out).toMatchObject({ status: 303, location: '/' })
    expect(out.headers.get('set-cookie')).toMatch(/^reg_console=;.*Max-Age=0/)
    expect((await visitor.get(ACCOUNT)).status).toBe(401)
  })
})

describe('the identity check', () => {
  const linkIn = (text: string) =>
    /href="(\/console\/account\/kyc\?[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

  it('redirects to the provider, and shows on the account page that it is pending', async () => {
    const { operator, visitor } = await newVisitor()
    const link = linkIn((await visitor.get(ACCOUNT)).text)
    const sent = await visitor.get(link ?? '')
    expect(sent.status).toBe(303)
    expect(sent.location).toMatch(`${h.kyc_url}/`)
    const { body } = await h.api('GET', '/operators/me', { token: operator.token })
    expect(body.kyc_status).toBe('pending')
    const { text } = await visitor.get(ACCOUNT)
    expect(text).toContain('Continue the check')
    expect(text).toContain('data-live="changing"') // the page asks again until the check has ended
  })

  it('is not started by a link of another session', async () => {
    const { operator, visitor } = await newVisitor()
    const other = await openConsole(h, freshEmail())
    const foreign = linkIn((await other.get(ACCOUNT)).text) ?? ''
    for (const link of [`${ACCOUNT}/kyc`, foreign]) expect((await visitor.get(link)).status).toBe(403)
    const { body } = await h.api('GET', '/operators/me', { token: operator.token })
    expect(body.kyc_status).toBe('unverified')
  })

  it('is not started by a HEAD request or a prefetch of the link', async () => {
    const { operator, visitor } = await newVisitor()
    const link = linkIn((await visitor.get(ACCOUNT)).text) ?? ''
    const request = (method: string, headers: Record<string, string>) =>
      fetch(h.base_url + link, {
        method,
        redirect: 'manual',
        headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp(), ...headers },
      })
    expect((await request('HEAD', {})).status).toBe(403)
    expect((await request('GET', { 'Sec-Purpose': 'prefetch;prerender' })).status).toBe(403)
    const { body } = await h.api('GET', '/operators/me', { token: operator.token })
    expect(body.kyc_status).toBe('unverified')
    expect((await request('GET', {})).status).toBe(303)
  })
})

describe('the cookie of the console', () => {
  const guarded = endpoints.filter(({ access }) => access.by !== 'anyone' && access.by !== 'address')

  it('is not accepted by any route of the API', async () => {
    expect(guarded.length).toBeGreaterThan(30)
    const { visitor } = await newVisitor()
    const statuses = await Promise.all(
      guarded.map(async ({ method, path, operationId }) => {
        const filled = path
          .replace('{reg}', 'REG-1999-0001-0042-4')
          .replace('{slug}', 'acme-market')
          .replaceAll(/\{\w+\}/g, '01a1fc89-cf65-7e90-91f2-582afd126737')
        const { status } = await fetch(`${h.base_url}/api/v1${filled}`, {
          method: method.toUpperCase(),
          headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp() },
        })
        return [operationId, status]
      }),
    )
    expect(statuses).toEqual(guarded.map(({ operationId }) => [operationId, 401]))
  })

  it('is ignored by public routes', async () => {
    const { operator, visitor } = await newVisitor()
    const { reg } = await h.newAgent(operator)
    const requested = await fetch(`${h.base_url}/api/v1/agents/${reg}/activity`, {
      headers: { Cookie: visitor.cookie, 'CF-Connecting-IP': freshIp() },
    })
    expect(requested.headers.get('cache-control')).toMatch(/^public/)
  })
})
