import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { countUnused } from '../../src/kyc/store.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { atOnce, WRITERS } from '../support/at-once.ts'
import { shared } from '../support/harness.ts'
import { kycControl, START } from '../support/kyc.ts'

const h = shared()
const { api, sql, newOperator } = h
const kyc = kycControl(h)
const db = connect(
  { DATABASE_URL: h.database_url, NEON_SQL_URL: h.neon_sql_url },
  new AbortController().signal,
)

/** Several tokens of one operator, because each may make only ten strict calls per minute. */
async function manyTokens() {
  const operator = await newOperator()
  const others = await atOnce(() => newOperator({ email: operator.email }), WRITERS - 1)
  return { operator, tokens: [operator, ...others].map(({ token }) => token) }
}

it('opens one check for twenty concurrent starts', async () => {
  const { operator, tokens } = await manyTokens()
  const responses = await Promise.all(tokens.map((token) => api('POST', START, { token })))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(new Set(responses.map(({ body }) => body.verification_url)).size).toBe(1)
  const checks = await sql('select provider_session_id, status from kyc_checks where operator_id = $1', [
    operator.id,
  ])
  expect(checks).toEqual([{ provider_session_id: expect.any(String), status: 'pending' }])
  const open = (await kyc.sessionsOf(operator)).filter(({ status }) => status === 'requires_input')
  expect(open.map(({ id }) => id)).toEqual([checks[0].provider_session_id])
  expect(
    await sql(`select 1 from audit_log where operator_id = $1 and action = 'kyc.started'`, [operator.id]),
  ).toHaveLength(1)
})

it('replaces a check of the day before once for twenty concurrent starts', async () => {
  const { operator, tokens } = await manyTokens()
  const [first = ''] = tokens
  await api('POST', START, { token: first })
  const now = new Date(Date.now() + DAY_MS + 1_000)
  const responses = await Promise.all(tokens.map((token) => api('POST', START, { token, now })))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(new Set(responses.map(({ body }) => body.verification_url)).size).toBe(1)
  const checks = await sql('select status from kyc_checks where operator_id = $1 order by status', [
    operator.id,
  ])
  expect(checks).toEqual([{ status: 'canceled' }, { status: 'pending' }])
})

it('keeps one session when starts around midnight have opened two at the provider', async () => {
  const { operator, tokens } = await manyTokens()
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  const responses = await Promise.all(
    tokens.map((token, n) => api('POST', START, { token, now: new Date(midnight + (n % 2 ? 1 : -1_000)) })),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(new Set(responses.map(({ body }) => body.verification_url)).size).toBe(1)
  const [check] = await sql(`select provider_session_id from kyc_checks where operator_id = $1`, [
    operator.id,
  ])
  await expect
    .poll(async () => {
      const sessions = await kyc.sessionsOf(operator)
      return sessions.filter(({ status }) => status === 'requires_input').map(({ id }) => id)
    })
    .toEqual([check.provider_session_id])
})

it('counts one unused session of the provider for twenty concurrent starts that made it', async () => {
  const { id } = await newOperator()
  await atOnce(() => countUnused(db, id, 3, new Date()))
  const count = () => sql('select kyc_opened from operators where id = $1', [id])
  expect(await count()).toEqual([{ kyc_opened: 0 }]) // others have counted more by then
  await atOnce(() => countUnused(db, id, 0, new Date()))
  expect(await count()).toEqual([{ kyc_opened: 1 }])
})

it('ends a check once for twenty concurrent webhooks of all kinds', async () => {
  const operator = await newOperator()
  await api('POST', START, { token: operator.token })
  const session = await kyc.openSession(operator)
  const kinds = ['verified', 'requires_input', 'canceled'] as const
  const responses = await atOnce((n) => kyc.send(kinds[n % 3] ?? 'verified', session))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const [check] = await sql('select status from kyc_checks where operator_id = $1', [operator.id])
  const [{ kyc_status }] = await sql('select kyc_status from operators where id = $1', [operator.id])
  expect([check.status, kyc_status]).toEqual(
    check.status === 'verified' ? ['verified', 'verified'] : ['canceled', 'unverified'],
  )
  const ends = await sql(
    `select action from audit_log where operator_id = $1 and action like 'kyc.%' and action <> 'kyc.started' order by action`,
    [operator.id],
  )
  const reported = ends.map(({ action }) => action)
  expect([['kyc.canceled'], ['kyc.verified'], ['kyc.failed', 'kyc.verified']]).toContainEqual(reported)
})

it('opens at most five checks per day, also at the provider, for twenty callers that start and fail them concurrently', async () => {
  const { operator, tokens } = await manyTokens()
  const statuses = new Set<number>()
  await Promise.all(
    tokens.map(async (token) => {
      for (let n = 0; n < 7; n++) {
        const { status } = await api('POST', START, { token })
        statuses.add(status)
        const open = (await kyc.sessionsOf(operator)).filter((session) => session.status === 'requires_input')
        await Promise.all(open.map(({ id }) => kyc.send('requires_input', id)))
      }
    }),
  )
  expect(statuses).toContain(429)
  expect([...statuses].filter((status) => ![200, 409, 429].includes(status))).toEqual([])
  const checks = await sql('select status from kyc_checks where operator_id = $1', [operator.id])
  expect(checks).toEqual(Array(5).fill({ status: 'failed' }))
  expect(await kyc.sessionsOf(operator)).toHaveLength(5)
})

it('never marks a name as verified that was not compared, if rename and approval are concurrent', async () => {
  const person = { first_name: 'Ada', last_name: 'Lovelace', birth_date: '1815-12-10' }
  const names = ['Ada Lovelace', 'Lovelace Bank']
  await atOnce(async (n) => {
    const operator = await newOperator()
    const { token } = operator
    const [before = '', after = ''] = n % 2 ? names : [...names].reverse()
    await api('PATCH', '/operators/me', { token, body: { name: before } })
    const { body } = await api('POST', START, { token })
    const rename = () => api('PATCH', '/operators/me', { token, body: { name: after } })
    await Promise.all([kyc.decide(body.verification_url, { outcome: 'approve', ...person }), rename()])
    const me = async () => (await api('GET', '/operators/me', { token })).body
    await expect.poll(async () => (await me()).kyc_status).toBe('verified')
    const { name, name_verified } = await me()
    expect(name).toBe(after)
    if (after === 'Lovelace Bank') expect(name_verified).toBe(false)
  })
})
