import { sql as sqlOf } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { ALLOWANCES, type Allowance, allowanceOf } from '../../src/allowances/store.ts'
import { app } from '../../src/app.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { newProof } from '../support/agent-keys.ts'
import { MIDNIGHT, NOON, plus } from '../support/day.ts'
import { expectError, freshSlug, type Operator, shared } from '../support/harness.ts'
import { expectToday, expectWait } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform } = h
const now = NOON

/** For each route that writes: the allowance that it takes, or why it leaves a limited number of rows without one. */
const CEILINGS: Record<string, Allowance | `: ${string}`> = {
  'POST /operators/me/api-keys': 'changes',
  'POST /platforms/{slug}/api-keys': 'changes',
  'PATCH /operators/me/api-keys/{key_id}': 'changes',
  'PATCH /platforms/{slug}/api-keys/{key_id}': 'changes',
  'PATCH /operators/me': 'changes',
  'POST /platforms': 'changes',
  'PATCH /platforms/{slug}': 'changes',
  'POST /agents/{reg}/ownership/challenge': 'changes',
  'POST /agents/{reg}/keys': 'changes',
  'POST /platforms/{slug}/deliveries/recover': 'changes',
  'POST /platforms/{slug}/deliveries/{id}/redeliver': 'changes',
  'POST /platforms/{slug}/webhook-test': 'changes',
  'POST /agents/{reg}/ownership/verify': 'looks',
  'POST /activity/report': ': events per agent and day',
  'POST /activity/report/batch': ': events per agent and day',
  'POST /agents': 'registrations',
  'PATCH /agents/{reg}':
    ': changes per agent and day, `moves` if it joins a platform, `changes` if it is deactivated',
  'POST /operators/me/kyc/start': ': checks per day',
  'POST /incidents/{id}/resolve': ': once per incident',
  'POST /platforms/{slug}/agents/{reg}/confirm': ': once per move of an agent',
  'DELETE /platforms/{slug}/agents/{reg}': ': once per move of an agent',
  'POST /platforms/{slug}/webhook-secret': 'audited_rotations',
  'GET /auth/callback': 'sign_ins',
  'DELETE /auth/session': ': once per session',
  'DELETE /auth/sessions': ': once per session',
  'DELETE /auth/sessions/{id}': ': once per session',
  'DELETE /operators/me/api-keys/{key_id}': ': once per key',
  'DELETE /platforms/{slug}/api-keys/{key_id}': ': once per key',
  'DELETE /agents/{reg}/keys/{kid}': ': once per key',
  'DELETE /platforms/{slug}': ': once per platform',
  'POST /operators/me/mail/resume': ': adds no row',
  'POST /operators/me/notifications/read-all': ': adds no row',
  'POST /operators/me/notifications/{id}/read': ': adds no row',
  'POST /platforms/{slug}/deliveries/{id}/retry-now': ': adds no row',
}

/** For each other route that writes: why it leaves a limited number of rows; the console calls the use cases of the API. */
const ELSEWHERE = {
  '/internal/qstash/deliver': 'signed by QStash',
  '/internal/qstash/failed': 'signed by QStash',
  '/internal/qstash/mail': 'signed by QStash',
  '/internal/qstash/snapshots': 'signed by QStash',
  '/internal/qstash/doctor': 'signed by QStash',
  '/internal/mail/resend': 'signed by Resend',
  '/internal/kyc/stripe': 'signed by Stripe',
  '/unsubscribe/:token': 'adds no row',
}

const spend = ({ id }: Operator, name: Allowance, taken: number) =>
  sql(
    `insert into allowances (operator_id, name, since, taken)
     values ($1, $2, case when $2 = any ('{looks,new_keys}') then date_trunc('minute', $4::timestamptz) else date_trunc('day', $4::timestamptz, 'utc') end, $3)
     on conflict (operator_id, name) do update set since = excluded.since, taken = excluded.taken`,
    [id, name, taken, now],
  )
const tooManyChanges = /^your tier allows 500 changes to your account per UTC day.*after 00:00 UTC/

it('every route that writes has a ceiling', async () => {
  const { routes } = await h.openApi()
  const writing = routes.map(({ name }) => name).filter((name) => !name.startsWith('GET '))
  expect(Object.keys(CEILINGS).sort()).toEqual([...writing, 'GET /auth/callback'].sort())
})

it('every other route that writes is in the console, or adds a limited number of rows', () => {
  const isWrite = (method: string) => /^(POST|PUT|PATCH|DELETE)$/.test(method)
  const writing = app.routes.filter(({ method, path }) => isWrite(method) && !/^\/(api|console)\//.test(path))
  expect(Object.keys(ELSEWHERE).sort()).toEqual([...new Set(writing.map(({ path }) => path))].sort())
})

describe('an operator that has used up its changes of the day', () => {
  it('is refused by every route that takes one, and nothing changes', async () => {
    const operator = await newOperator({ now })
    const { token } = operator
    const [{ reg }, { slug }, key] = await Promise.all([
      newAgent(operator, {}, now),
      newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/closed' }, now),
      newKey(operator, undefined, {}, now),
    ])
    const ofPlatform = await h.newPlatformKey(operator, slug, undefined, now)
    const example = { token, body: { type: 'agent.updated' }, now }
    const tested = await api('POST', `/platforms/${slug}/webhook-test`, example)
    expect(tested.status).toBe(202)
    const skip = `update webhook_deliveries set status = 'skipped', next_attempt_at = null where id = $1`
    await sql(skip, [tested.body.id]) // can be sent again
    await spend(operator, 'changes', QUOTAS.free.account_changes_per_day)
    const two = { name: 'Two' }
    const bodies: Record<string, object | undefined> = {
      'POST /operators/me/api-keys': two,
      'POST /platforms/{slug}/api-keys': two,
      'PATCH /operators/me/api-keys/{key_id}': two,
      'PATCH /platforms/{slug}/api-keys/{key_id}': two,
      'PATCH /operators/me': { name: 'Another Name' },
      'POST /platforms': { slug: freshSlug(), ...two },
      'PATCH /platforms/{slug}': two,
      'POST /agents/{reg}/ownership/challenge': { domain: 'agents.example.com', method: 'dns' },
      'POST /agents/{reg}/keys': { proof: await newProof(h, reg, now) },
      'POST /platforms/{slug}/deliveries/recover': { since: new Date(now.getTime() - 1000).toISOString() },
      'POST /platforms/{slug}/deliveries/{id}/redeliver': undefined,
      'POST /platforms/{slug}/webhook-test': { type: 'agent.updated' },
    }
    const taking = Object.keys(CEILINGS).filter((name) => CEILINGS[name] === 'changes')
    expect(Object.keys(bodies).sort()).toEqual(taking.sort())
    const audited = () => sql('select count(*) from audit_log where operator_id = $1', [operator.id])
    const before = await audited()
    for (const [name, body] of Object.entries(bodies)) {
      const [method = '', route = ''] = name.split(' ')
      const key_id = route.startsWith('/platforms') ? ofPlatform.id : key.id
      const ids: Record<string, string> = { reg, slug, key_id, id: tested.body.id }
      const path = route.replace(/\{(\w+)\}/g, (_, parameter) => ids[parameter] ?? '')
      expectToday(await api(method, path, { token, now, ...(body && { body }) }), tooManyChanges)
    }
    expect(await audited()).toEqual(before)
  })

  it('can still do what makes it safer, and what changes nothing', async () => {
    const operator = await newOperator({ now })
    const { token } = operator
    const [{ reg }, { slug }, { id }] = await Promise.all([
      newAgent(operator, {}, now),
      newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/closed' }, now),
      newKey(operator, undefined, {}, now),
    ])
    for (const name of Object.keys(ALLOWANCES)) await spend(operator, name as Allowance, 100_000)
    const { name } = (await api('GET', '/operators/me', { token, now })).body
    const calls: [method: string, path: string, body?: object][] = [
      ['PATCH', '/operators/me', { name }],
      ['PATCH', `/operators/me/api-keys/${id}`, { name: 'a key' }],
      ['POST', `/platforms/${slug}/deliveries/recover`, { since: now.toISOString() }],
      ['PATCH', `/platforms/${slug}`, { webhook_url: null, name: 'Without a webhook' }],
      ['PATCH', `/platforms/${slug}`, { webhook_url: null, name: 'Without a webhook' }],
      ['POST', `/platforms/${slug}/webhook-secret`],
      ['PATCH', `/agents/${reg}`, { status: 'deactivated' }],
      ['DELETE', `/operators/me/api-keys/${id}`],
      ['DELETE', `/platforms/${slug}`],
      ['DELETE', '/auth/sessions?keep_current=true'],
      ['DELETE', '/auth/session'],
    ]
    for (const [method, path, body] of calls) {
      const { status, text } = await api(method, path, { token, now, ...(body && { body }) })
      expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    }
  })

  it('cannot set a webhook URL again, change a platform without one, or a deactivated agent', async () => {
    const operator = await newOperator({ now })
    const { token } = operator
    const [{ slug }, { reg }] = [await newPlatform(operator, {}, now), await newAgent(operator, {}, now)]
    const change = (path: string, body: object) => api('PATCH', path, { token, body, now })
    const agent = `/agents/${reg}`
    await spend(operator, 'changes', QUOTAS.free.account_changes_per_day - 1)
    // The third one takes the last change.
    for (const body of [{ name: 'Two' }, { status: 'deactivated' }, { name: 'Three' }, { name: 'Three' }])
      expect((await change(agent, body)).status).toBe(200)
    expectToday(await change(agent, { name: 'Four' }), tooManyChanges)
    for (const body of [{ webhook_url: 'http://127.0.0.1:9/again' }, { webhook_url: null, name: 'Two' }])
      expectToday(await change(`/platforms/${slug}`, body), tooManyChanges)
  })

  it('has new ones on the next UTC day', async () => {
    const operator = await newOperator({ now })
    await spend(operator, 'changes', QUOTAS.free.account_changes_per_day)
    const rename = (name: string, ms: number) =>
      api('PATCH', '/operators/me', { token: operator.token, body: { name }, now: plus(ms, MIDNIGHT) })
    expectError(await rename('Another', -600_000), 429, 'RATE_LIMITED', tooManyChanges)
    expect((await rename('Another', 0)).status).toBe(200)
    const [row] = await sql(
      `select since, taken from allowances where operator_id = $1 and name = 'changes'`,
      [operator.id],
    )
    expect(row).toEqual({ since: MIDNIGHT, taken: 1 })
    await sql(`update allowances set taken = $2 where operator_id = $1 and name = 'changes'`, [
      operator.id,
      QUOTAS.free.account_changes_per_day - 1,
    ])
    expect((await rename('Back', -1_000)).status).toBe(200) // by a clock that is behind
    expectError(await rename('Third', 1_000), 429, 'RATE_LIMITED', tooManyChanges)
  })
})

it.each<['new_keys' | 'looks' | 'looks_of_day', status: number, seconds: number, message: RegExp]>([
  ['new_keys', 201, 60, /^an operator may make 10 new API keys per minute, over all its sessions/],
  ['looks', 409, 60, /^an operator may make 10 checks of a domain per minute/],
  ['looks_of_day', 409, 12 * 3_600, /^an operator may make 200 checks of a domain per UTC day/],
])(
  'an operator that has used up its %s is told when it may continue',
  async (name, status, seconds, message) => {
    const { operator, reg } = await h.newReporter({ now })
    const { token } = operator
    const body = { domain: `${freshSlug()}.example.com`, method: 'dns' }
    expect((await api('POST', `/agents/${reg}/ownership/challenge`, { token, body, now })).status).toBe(201)
    const path = name === 'new_keys' ? '/operators/me/api-keys' : `/agents/${reg}/ownership/verify`
    const call = (at: Date) =>
      api('POST', path, { token, now: at, ...(name === 'new_keys' && { body: { name: 'One' } }) })
    await spend(operator, name, ALLOWANCES[name].most)
    const refused = await call(now)
    expectError(refused, 429, 'RATE_LIMITED', message)
    expectWait(refused, seconds)
    expect((await call(new Date(now.getTime() + seconds * 1000))).status).toBe(status)
  },
)

it.each<Allowance>(['changes', 'looks_of_day'])('an allowance of a day returns at 00:00 UTC: %s', (name) => {
  const { error } = allowanceOf(sqlOf`null`, 'free', name, now)
  expect(error.headers).toEqual({ 'Retry-After': String(12 * 3_600) })
})

it('an operator signs in 200 times a day', async () => {
  const operator = await newOperator({ now })
  await spend(operator, 'sign_ins', 200)
  await expect(newOperator({ email: operator.email, now })).rejects.toThrow(
    /an operator may make 200 sign-ins per UTC day/,
  )
  expect(await sql('select id from sessions where operator_id = $1', [operator.id])).toHaveLength(1)
})

it('changing a key to what it already is leaves no audit entry', async () => {
  const operator = await newOperator({ now })
  const { token } = operator
  const { id } = await newKey(operator, undefined, {}, now)
  const path = `/operators/me/api-keys/${id}`
  for (const body of [{ name: 'a key' }, { name: 'Two' }, { name: 'Two', rate_limit_per_minute: 60 }])
    expect((await api('PATCH', path, { token, body, now })).body).toMatchObject({ id, ...body })
  const { data } = (await api('GET', '/operators/me/audit-log?action=api_key.updated', { token, now })).body
  expect(data).toEqual([expect.objectContaining({ target: id })])
})

it('rotations of a secret within a minute have one audit entry, and a day of them at most a thousand', async () => {
  const operator = await newOperator({ now })
  const { token } = operator
  const { slug } = await newPlatform(operator, {}, now)
  const rotate = (at: Date) => api('POST', `/platforms/${slug}/webhook-secret`, { token, now: at })
  for (const seconds of [0, 1, 60, 120]) {
    if (seconds === 60) await spend(operator, 'audited_rotations', 999)
    expect((await rotate(new Date(now.getTime() + seconds * 1000))).status).toBe(200)
  }
  const { data } = (
    await api('GET', '/operators/me/audit-log?action=platform.secret_rotated', { token, now })
  ).body
  expect(data).toHaveLength(2)
})
