import { expect, it } from 'vitest'
import { ALLOWANCES, type Allowance } from '../../src/allowances/store.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { utcDay } from '../../src/lib/time.ts'
import { atOnce, statusesOf, WRITERS } from '../support/at-once.ts'
import { NOON, plus } from '../support/day.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Body, freshSlug, type Operator, shared } from '../support/harness.ts'
import { giveAllowances } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform } = h
const FREE = QUOTAS.free

/** Another session of an operator, because each may make only ten strict calls per minute. */
const newSession = ({ email }: Operator, now?: Date) => newOperator({ email, ...(now && { now }) })

it('creates as many active keys as the tier allows, of an operator and its platform together', async () => {
  const operator = await newOperator()
  const [{ slug }, second] = await Promise.all([newPlatform(operator), newSession(operator)])
  await giveAllowances(h, operator, ['new_keys'])
  await atOnce(() => newSession(operator).then((one) => newKey(one)), 13)
  const paths = ['/operators/me/api-keys', `/platforms/${slug}/api-keys`]
  const responses = await atOnce((n) => {
    const { token } = n < WRITERS / 2 ? operator : second
    return api('POST', paths[n % 2] ?? '', { token, body: { name: `Nr. ${n}` } })
  })
  expect(statusesOf(responses)).toEqual({ 201: 7, 409: 13 })
  const live = await sql('select 1 from api_keys where operator_id = $1 and revoked_at is null', [
    operator.id,
  ])
  expect(live).toHaveLength(FREE.live_keys)
})

it.each<[Allowance, since: string, most: number, status: number]>([
  ['changes', 'day', FREE.account_changes_per_day, 200],
  ['new_keys', 'minute', ALLOWANCES.new_keys.most, 201],
  ['looks', 'minute', ALLOWANCES.looks.most, 409], // not published
])(
  'takes as many of an allowance as there are, also over several sessions: %s',
  async (name, since, most, status) => {
    const operator = await newOperator({ now: NOON })
    const { reg } = await newAgent(operator, {}, NOON)
    const sessions = [await newSession(operator, NOON), await newSession(operator, NOON)]
    const calls: Partial<Record<Allowance, (n: number) => [method: string, path: string, body?: object]>> = {
      changes: (n) => ['PATCH', '/operators/me', { name: `Number ${n}` }],
      new_keys: (n) => ['POST', '/operators/me/api-keys', { name: `Number ${n}` }],
      looks: () => ['POST', `/agents/${reg}/ownership/verify`],
    }
    const challenge = { domain: `${freshSlug()}.example.com`, method: 'dns' }
    await api('POST', `/agents/${reg}/ownership/challenge`, {
      token: operator.token,
      body: challenge,
      now: NOON,
    })
    const left = 5
    await sql(
      `insert into allowances values ($1, $2, date_trunc($3, $4::timestamptz, 'utc'), $5)
     on conflict (operator_id, name) do update set since = excluded.since, taken = excluded.taken`,
      [operator.id, name, since, NOON, most - left],
    )
    const responses = await atOnce((n) => {
      const [method = '', path = '', body] = calls[name]?.(n) ?? []
      return api(method, path, { token: sessions[n % 2]?.token ?? '', now: NOON, ...(body && { body }) })
    })
    expect(statusesOf(responses)).toEqual({ [status]: left, 429: WRITERS - left })
    const taken = await sql('select taken from allowances where operator_id = $1 and name = $2', [
      operator.id,
      name,
    ])
    expect(taken).toEqual([{ taken: most }])
  },
)

it('keeps as many active sessions as the tier allows, the newest ones, and audits each ended one once', async () => {
  const operator = await newOperator({ now: new Date(Date.now() - 60_000) })
  const opened = await atOnce(() => newSession(operator), 2 * WRITERS)
  const live = await sql('select id from sessions where operator_id = $1 and ended_at is null', [operator.id])
  expect(live).toHaveLength(FREE.live_sessions)
  const ended: Body[] = await sql(
    `select target from audit_log where operator_id = $1 and action = 'session.ended'`,
    [operator.id],
  )
  const ids = [operator, ...opened].map(({ token }) => token.slice(9, 17))
  expect([...ended.map(({ target }) => target), ...live.map(({ id }) => id)].sort()).toEqual(ids.toSorted())
  expect(live).not.toContainEqual({ id: ids[0] })
})

it('registers as many agents per UTC day as the tier allows, also when agents are deactivated concurrently', async () => {
  const operator = await newOperator()
  await sql('update operators set agent_limit = 50 where id = $1', [operator.id])
  const responses = await atOnce(async (n) => {
    const body = { name: `Nr. ${n}`, class: 'A' }
    const response = await api('POST', '/agents', { token: operator.token, body, now: NOON })
    if (response.status === 201) {
      const path = `/agents/${response.body.reg}`
      await api('PATCH', path, { token: operator.token, body: { status: 'deactivated' }, now: NOON })
    }
    return response
  }, 2 * WRITERS)
  expect(statusesOf(responses)).toEqual({ 201: 10, 429: 30 })
  const [row] = await sql(
    `select taken, active_agents from operators join allowances on operator_id = id and allowances.name = 'registrations'
     where id = $1`,
    [operator.id],
  )
  expect(row).toEqual({ taken: FREE.registrations_per_day, active_agents: 0 })
})

it('stores at most one more response in each share of the daily bytes once a byte is left there', async () => {
  const operator = await newOperator({ now: NOON })
  const agent = await newAgent(operator, {}, NOON)
  const token = await tirelessKey(h, operator)
  await sql(
    `insert into idempotency_usage select $1, to_hex(n), '${utcDay(NOON)}', $2 from generate_series(0, 15) n`,
    [operator.id, QUOTAS.enterprise.idempotency_bytes_per_day / 16 - 1],
  )
  const responses = await atOnce((n) => {
    const headers = { 'Idempotency-Key': `${n}` }
    return api('POST', '/activity/report', {
      token,
      body: { reg: agent.reg, event_type: 'x' },
      headers,
      now: NOON,
    })
  }, 4 * WRITERS)
  const [{ full }] = await sql(
    'select count(*)::integer as full from idempotency_usage where operator_id = $1 and bytes >= $2',
    [operator.id, QUOTAS.enterprise.idempotency_bytes_per_day / 16],
  )
  expect(statusesOf(responses)).toEqual({ 201: full, 429: 4 * WRITERS - full })
  expect(full).toBeGreaterThan(8)
})

/** An agent of an operator on the free tier, with a key and the given counters in `agent_stats`. */
async function nearQuota(set: string) {
  const operator = await newOperator()
  const [{ reg, id }, key] = await Promise.all([newAgent(operator, {}, NOON), tirelessKey(h, operator)])
  await sql(`update operators set tier = 'free', agent_limit = 3 where id = $1`, [operator.id])
  await sql(`update agent_stats set reported_day = '${utcDay(NOON)}', ${set} where agent_id = $1`, [id])
  const stats = async () =>
    (
      await sql(
        'select events::integer, own_events, own_bytes::integer from agent_stats where agent_id = $1',
        [id],
      )
    )[0]
  return { reg, key, stats }
}

it('stores events up to the daily quota, from single reports and batches together', async () => {
  const { reg, key, stats } = await nearQuota(`own_events = ${FREE.events_per_day - 13}`)
  const event = { reg, event_type: 'x' }
  const responses = await atOnce((n) =>
    n % 2
      ? api('POST', '/activity/report', { token: key, body: event, now: NOON })
      : api('POST', '/activity/report/batch', {
          token: key,
          body: { events: [event, event, event] },
          now: NOON,
        }),
  )
  for (const { status } of responses) expect([201, 207, 429]).toContain(status)
  const { events, own_events } = await stats()
  expect(own_events - events).toBe(FREE.events_per_day - 13)
  // Single events fill the remaining places.
  expect(own_events).toBe(FREE.events_per_day)
})

it('stores metadata up to the daily quota', async () => {
  const { reg, key, stats } = await nearQuota(`own_bytes = ${FREE.metadata_bytes_per_day - 7 * 10 - 9}`)
  const metadata = { n: 'four' }
  const bytes = JSON.stringify(metadata).length
  const responses = await atOnce(() =>
    api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x', metadata }, now: NOON }),
  )
  const fitting = Math.floor((7 * 10 + 9) / bytes)
  expect(statusesOf(responses)).toEqual({ 201: fitting, 429: WRITERS - fitting })
  expect(await stats()).toMatchObject({ events: fitting, own_events: fitting })
})

it('sends 20 incidents and 20 critical ones per agent and minute, the last of each marked as truncated', async () => {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/nobody' })
  const [one, two] = [
    await newAgent(operator, { platform_slug: slug }, NOON),
    await newAgent(operator, { platform_slug: slug }, NOON),
  ]
  const key = await tirelessKey(h, operator)
  const incident = (n: number, severity: string) => ({
    reg: one.reg,
    event_type: 'incident',
    severity,
    metadata: { title: `Nr. ${n}` },
  })
  await atOnce((n) => {
    const severity = n % 2 ? 'critical' : 'error'
    const events = [
      ...Array.from({ length: 3 }, () => incident(n, severity)),
      ...(n % 3 ? [] : [{ reg: two.reg, event_type: 'x' }]),
    ]
    return n % 4
      ? api('POST', '/activity/report/batch', { token: key, body: { events }, now: NOON })
      : api('POST', '/activity/report', { token: key, body: incident(n, severity), now: NOON })
  }, 2 * WRITERS)
  const reported = (reg: string): Promise<Body[]> =>
    sql(
      `select data ->> 'severity' as severity, data -> 'truncated' as truncated, count(*)::integer
       from webhook_events where type = 'incident.created' and data ->> 'reg' = $1 group by 1, 2 order by 1, 2`,
      [reg],
    )
  expect(await reported(one.reg)).toEqual([
    { severity: 'critical', truncated: true, count: 1 },
    { severity: 'critical', truncated: null, count: 19 },
    { severity: 'error', truncated: true, count: 1 },
    { severity: 'error', truncated: null, count: 19 },
  ])
  const next = plus(120_000, NOON)
  const events = Array.from({ length: 1_000 }, (_, n) => incident(n, n % 10 ? 'warning' : 'critical'))
  await sql('delete from notifications where operator_id = $1', [operator.id])
  await h.reportBatch(key, events, next)
  expect((await reported(one.reg)).reduce((sum, { count }) => sum + count, 0)).toBe(80)
  expect(await sql('select 1 from notifications where operator_id = $1', [operator.id])).toHaveLength(1)
})
