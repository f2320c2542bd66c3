import { describe, expect, it } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { utcDay } from '../../src/lib/time.ts'
import { MIDNIGHT, NOON, plus } from '../support/day.ts'
import { expectError, freshSlug, type Operator, shared } from '../support/harness.ts'
import { expectToday, expectWait } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform } = h
const FREE = QUOTAS.free

const register = ({ token }: Operator, now?: Date) =>
  api('POST', '/agents', { token, body: { name: 'Scout', class: 'A' }, ...(now && { now }) })

it('changes to an agent have a quota per UTC day for effective changes, which never prevents a deactivation', async () => {
  const { operator, reg } = await h.newReporter()
  const change = (body: object, now = NOON) =>
    api('PATCH', `/agents/${reg}`, { token: operator.token, body, now })
  for (const name of ['One', 'One', 'Two']) expect((await change({ name })).status).toBe(200)
  const count = async () =>
    (await sql('select changed_day::text as day, changes from agents where reg = $1', [reg]))[0]
  expect(await count()).toEqual({ day: utcDay(NOON), changes: 2 })

  await sql('update agents set changes = $2 where reg = $1', [reg, FREE.changes_per_day])
  const tooMany = /^your tier allows 100 changes to an agent per UTC day.*after 00:00 UTC/
  expectToday(await change({ name: 'Three' }), tooMany)
  const nothing = { name: 'Two', description: null, platform_slug: null, homepage_url: null }
  expect((await change(nothing)).status).toBe(200)
  expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({ name: 'Two', status: 'active' })
  expect((await change({ name: 'Three' }, MIDNIGHT)).status).toBe(200)
  expect(await count()).toEqual({ day: utcDay(MIDNIGHT), changes: 1 })

  await sql('update agents set changes = $2 where reg = $1', [reg, FREE.changes_per_day])
  const last = { name: 'Four', status: 'deactivated' }
  expect(await change(last, MIDNIGHT)).toMatchObject({ status: 200, body: last })
})

describe('registrations', () => {
  it('are limited to ten per UTC day on the free tier, including those of deactivated agents', async () => {
    const operator = await newOperator({ now: NOON })
    const { body } = await register(operator, NOON)
    const end = { token: operator.token, body: { status: 'deactivated' }, now: NOON }
    expect((await api('PATCH', `/agents/${body.reg}`, end)).status).toBe(200)
    await sql(`update allowances set taken = taken + $2 where operator_id = $1 and name = 'registrations'`, [
      operator.id,
      FREE.registrations_per_day - 2,
    ])
    expect((await register(operator, NOON)).status).toBe(201)
    const rejected = await register(operator, NOON)
    expectToday(
      rejected,
      /^your tier allows 10 registrations per UTC day.*after 00:00 UTC, or ask .* to upgrade you to pro \(100\)$/,
    )
    const lastMoment = await register(operator, plus(-10_000, MIDNIGHT))
    expect(lastMoment.status).toBe(429)
    expectWait(lastMoment, 10)
    expect((await register(operator, MIDNIGHT)).status).toBe(201)
    await h.admin('tier', operator.email, 'pro')
    expect((await register(operator, MIDNIGHT)).status).toBe(201)
  })
})

describe('API keys', () => {
  it('are limited to 20 active ones on the free tier, without revoked and expired ones', async () => {
    const operator = await newOperator()
    const { token } = operator
    await sql(
      `insert into api_keys (id, operator_id, name, key_prefix, salt, secret_hash, permissions, created_at, expires_at)
       select gen_random_uuid(), $1::uuid, 'Nr. ' || n, 'reg_live_' || left(md5($1::text || n), 8), '', '', '{read}', now(), now() + interval '1 hour'
       from generate_series(1, 19) n`,
      [operator.id],
    )
    const create = (n: number) => api('POST', '/operators/me/api-keys', { token, body: { name: `New ${n}` } })
    const first = await create(0)
    expect(first.status).toBe(201)
    expectError(await create(1), 409, 'CONFLICT', /^your tier allows 20 active API keys.*revoke one, or/)
    await api('DELETE', `/operators/me/api-keys/${first.body.id}`, { token })
    expect([(await create(2)).status, (await create(3)).status]).toEqual([201, 409])
    await sql(`update api_keys set expires_at = now() where operator_id = $1 and name = 'Nr. 1'`, [
      operator.id,
    ])
    expect([(await create(4)).status, (await create(5)).status]).toEqual([201, 409])
  })

  it('are limited by the current tier, even if a higher rate limit was set before', async () => {
    const operator = await newOperator({ tier: 'business' })
    const { reg } = await newAgent(operator)
    const { id, key } = await newKey(operator)
    const path = `/operators/me/api-keys/${id}`
    const body = { rate_limit_per_minute: 3_000 }
    expect((await api('PATCH', path, { token: operator.token, body })).status).toBe(200)
    const limitOf = async () =>
      (await api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x' } })).headers.get(
        'x-ratelimit-limit',
      )
    const listed = async () =>
      (await api('GET', '/operators/me/api-keys', { token: operator.token })).body.data[0]
        .rate_limit_per_minute
    expect([await limitOf(), await listed()]).toEqual(['3000', 3_000])
    await h.admin('tier', operator.email, 'free')
    expect([await limitOf(), await listed()]).toEqual(['60', 60])
    await h.admin('tier', operator.email, 'pro')
    expect([await limitOf(), await listed()]).toEqual(['600', 600])
    expect([FREE.live_keys, FREE.key_requests_per_minute]).toEqual([20, 60])
  })
})

it('platforms are limited to three on the free tier; a retired one counts until 30 days after its registration', async () => {
  const operator = await newOperator()
  const create = (slug = freshSlug()) =>
    api('POST', '/platforms', { token: operator.token, body: { slug, name: 'Market' } })
  const first = await create()
  expect([first.status, (await create()).status, (await create()).status]).toEqual([201, 201, 201])
  expectError(
    await create(),
    409,
    'CONFLICT',
    /^your tier allows 3 platforms, including retired ones registered in the last 30 days: retire one that was registered more than 30 days ago/,
  )
  await sql(`update platforms set status = 'retired' where slug = $1`, [first.body.slug])
  expect((await create()).status).toBe(409)
  await sql(`update platforms set created_at = now() - interval '30 days 1 minute' where slug = $1`, [
    first.body.slug,
  ])
  expectError(await create(first.body.slug), 409, 'CONFLICT', /is already taken/)
  expect((await create()).status).toBe(201)
  expect((await create()).status).toBe(409)
})

it('sessions are limited to 20 active ones on the free tier: a sign-in ends all that exceed them, oldest first', async () => {
  const operator = await newOperator({ tier: 'business', now: new Date(Date.now() - 60_000) })
  const open = () => newOperator({ email: operator.email })
  for (let n = 0; n < FREE.live_sessions; n++) await open()
  const me = ({ token }: Operator) => api('GET', '/operators/me', { token })
  expect((await me(operator)).status).toBe(200)
  const [above, others] = [await open(), await open()]
  await h.admin('tier', operator.email, 'free')
  const newest = await open()
  expectError(await me(operator), 401, 'UNAUTHORIZED')
  for (const one of [above, others, newest]) expect((await me(one)).status).toBe(200)
  const { body } = await api('GET', '/auth/sessions', { token: newest.token })
  expect(body.pagination.total).toBe(FREE.live_sessions)
})

it('a sign-in keeps its session if the others are from a clock that was ahead', async () => {
  const ahead = new Date(Date.now() + 3_600_000)
  const { email } = await newOperator({ now: ahead })
  for (let n = 1; n < FREE.live_sessions; n++) await newOperator({ email, now: ahead })
  const { token } = await newOperator({ email })
  expect((await api('GET', '/operators/me', { token })).status).toBe(200)
})

it('the administrator sees what exceeds a lower tier', async () => {
  const operator = await newOperator({ tier: 'pro' })
  const { id } = await newKey(operator)
  await api('PATCH', `/operators/me/api-keys/${id}`, {
    token: operator.token,
    body: { rate_limit_per_minute: 600 },
  })
  for (let n = 0; n < 4; n++) await Promise.all([newAgent(operator), newPlatform(operator)])
  expect(await h.admin('tier', operator.email, 'free')).toBe(
    `${operator.email}: active, free, 4 of 3 agents active; no more agents until there are fewer than 3; ` +
      '1 API keys are limited to 60 requests per minute; no more platforms in addition to the existing 4 until there are fewer than 3',
  )
  expect((await api('GET', '/platforms', { token: operator.token })).body.pagination.total).toBe(4)
  expectError(await register(operator), 402, 'AGENT_LIMIT_REACHED')
})
