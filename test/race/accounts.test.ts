import { expect, it } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { atOnce } from '../support/at-once.ts'
import { freshEmail, freshIp, shared } from '../support/harness.ts'
import { giveAllowances } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newKey, walkToCallback } = h

it('creates one operator for twenty concurrent sign-ins with one email address', async () => {
  const email = freshEmail()
  const walks = await atOnce(() => walkToCallback(email))
  const responses = await Promise.all(
    walks.map(({ path, cookie }) => api('GET', path, { headers: { Cookie: cookie } })),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(new Set(responses.map(({ body }) => body.operator.id)).size).toBe(1)
  expect(new Set(responses.map(({ body }) => body.session_token)).size).toBe(20)
  expect(await sql('select 1 from operators where email = $1', [email])).toHaveLength(1)
})

it('opens one session for twenty concurrent requests of the same callback', async () => {
  const email = freshEmail()
  const { path, cookie } = await walkToCallback(email)
  const responses = await atOnce(() => api('GET', path, { headers: { Cookie: cookie } }))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(19)
})

it('ends a session once for twenty concurrent requests to end it', async () => {
  const target = await newOperator()
  const sessions = await atOnce(() => newOperator({ email: target.email }))
  const id = target.token.slice(9, 17)
  const responses = await Promise.all(
    sessions.map(({ token }) => api('DELETE', `/auth/sessions/${id}`, { token })),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 204))
  expect(
    await sql(`select action from audit_log where operator_id = $1 and target = $2 order by action`, [
      target.id,
      id,
    ]),
  ).toEqual([{ action: 'session.ended' }, { action: 'session.started' }])
})

it('audits each session once that ends by sign-outs, also from all, and by sign-ins beyond the quota concurrently', async () => {
  const first = await newOperator({ now: new Date(Date.now() - 60_000) })
  const { email, id } = first
  const open = () => newOperator({ email })
  const old = [first, ...(await atOnce(open, QUOTAS.free.live_sessions - 1))]
  await Promise.all(
    old.flatMap(({ token }, n) => [
      open(),
      api('DELETE', n % 4 ? '/auth/session' : '/auth/sessions', { token, ip: freshIp() }),
    ]),
  )
  const audited = await sql(
    `select target from audit_log where operator_id = $1 and action = 'session.ended' order by 1`,
    [id],
  )
  const ended = await sql(
    'select id as target from sessions where operator_id = $1 and ended_at is not null order by 1',
    [id],
  )
  expect(audited).toEqual(ended)
})

it('gives twenty keys that are created concurrently different prefixes and secrets', async () => {
  const operator = await newOperator()
  const second = await newOperator({ email: operator.email })
  await giveAllowances(h, operator, ['new_keys'])
  const keys = await atOnce((n) => newKey(n % 2 ? operator : second))
  expect(new Set(keys.map(({ key_prefix }) => key_prefix)).size).toBe(20)
  expect(new Set(keys.map(({ key }) => key)).size).toBe(20)
})
