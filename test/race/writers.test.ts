import { expect, it, vi } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { atOnce, statusesOf, withStatus } from '../support/at-once.ts'
import { NOON } from '../support/day.ts'
import { type ApiResponse, type Body, freshSlug, type Operator, shared } from '../support/harness.ts'
import { giveAllowances } from '../support/quotas.ts'

const h = shared()
const { api, sql, newAgent, newOperator, newPlatform } = h
vi.setConfig({ testTimeout: 60_000 })

const FREE = QUOTAS.free
const WRITERS = 200
const SESSIONS = 20
const EACH = WRITERS / SESSIONS // within the limits per minute of a session
const AGENT = ['name', 'description', 'specializations', 'homepage_url', 'card_url']
const OPERATOR = ['name', 'company_name', 'company_url', 'avatar_url']

/** The clean-up of a job that runs meanwhile, at the current time, deletes no stored response of tomorrow. */
const TOMORROW = new Date(`${utcDay(new Date(Date.now() + DAY_MS))}T12:00:00Z`)

type Write = (token: string, n: number) => Promise<ApiResponse>

/** Opens more sessions of an operator; returns a function that makes concurrent calls in all of them. */
async function inSessions(operator: Operator, now = NOON) {
  const { email } = operator
  const more = await atOnce(() => newOperator({ email, now }), SESSIONS - 1)
  const tokens = [operator, ...more].map(({ token }) => token)
  return (write: Write) => atOnce((n) => write(tokens[Math.floor(n / EACH)] ?? '', n), WRITERS)
}

const race = async (operator: Operator, write: Write) => (await inSessions(operator))(write)

/** A value of a field that no other writer sends. */
function newValue(field: string, n: number): unknown {
  if (field === 'specializations') return [`number ${n}`]
  return field.endsWith('_url') ? `https://example.com/${n}` : `Number ${n}`
}

/** Expects that each response has the value of its writer, and that the last state is that of one of them. */
function expectNoneLost(fields: string[], responses: ApiResponse[], last: Body): void {
  const shown = (body: Body) => fields.map((field) => body[field])
  for (const [n, { status, body }] of responses.entries()) {
    const field = fields[n % fields.length] ?? ''
    if (status === 200) expect(body[field]).toEqual(newValue(field, n))
  }
  const states = withStatus(responses, 200).map(({ body }) => shown(body))
  expect(states).toContainEqual(shown(last))
}

it('two hundred concurrent changes of one agent are all applied, but the one above its quota', async () => {
  const operator = await newOperator({ tier: 'business', now: NOON })
  const { reg, id } = await newAgent(operator, {}, NOON)
  await sql(`update agents set changed_day = '${utcDay(NOON)}', changes = 1 where id = $1`, [id])
  const responses = await race(operator, (token, n) => {
    const field = AGENT[n % AGENT.length] ?? ''
    return api('PATCH', `/agents/${reg}`, { token, body: { [field]: newValue(field, n) }, now: NOON })
  })
  expect(statusesOf(responses)).toEqual({ 200: WRITERS - 1, 429: 1 })
  const [row] = await sql('select * from agents where id = $1', [id])
  expect(row.changes).toBe(QUOTAS.business.changes_per_day)
  expectNoneLost(AGENT, responses, row)
})

it('two hundred concurrent changes of an operator are all applied, while it registers agents', async () => {
  const operator = await newOperator({ now: NOON })
  const { id } = operator
  const [responses] = await Promise.all([
    race(operator, (token, n) => {
      const field = OPERATOR[n % OPERATOR.length] ?? ''
      return api('PATCH', '/operators/me', { token, body: { [field]: newValue(field, n) }, now: NOON })
    }),
    newAgent(operator, {}, NOON),
  ])
  expect(statusesOf(responses)).toEqual({ 200: WRITERS })
  const [row] = await sql('select * from operators where id = $1', [id])
  expectNoneLost(OPERATOR, responses, row)
  const audited = `select count(*)::integer as n from audit_log where operator_id = $1 and action = 'operator.updated'`
  const taken = `select taken from allowances where operator_id = $1 and name = 'changes'`
  expect(await sql(audited, [id])).toEqual([{ n: WRITERS }])
  expect(await sql(taken, [id])).toEqual([{ taken: WRITERS }])
})

it('two hundred concurrent changes of single preferences overwrite no other one', async () => {
  const operator = await newOperator({ now: NOON })
  const { notification_prefs } = (await api('GET', '/operators/me', { token: operator.token, now: NOON }))
    .body
  const names = Object.keys(notification_prefs)
  const responses = await race(operator, (token, n) => {
    const body = { notification_prefs: { [names[n % names.length] ?? '']: false } }
    return api('PATCH', '/operators/me', { token, body, now: NOON })
  })
  expect(statusesOf(responses)).toEqual({ 200: WRITERS })
  const [row] = await sql('select notification_prefs from operators where id = $1', [operator.id])
  expect(row.notification_prefs).toEqual(Object.fromEntries(names.map((name) => [name, false])))
})

it('two hundred concurrent changes to the same values count once', async () => {
  const operator = await newOperator({ now: NOON })
  const { reg, id } = await newAgent(operator, {}, NOON)
  const body = { name: 'The same' }
  const responses = await race(operator, (token, n) =>
    api('PATCH', n % 2 ? '/operators/me' : `/agents/${reg}`, { token, body, now: NOON }),
  )
  expect(statusesOf(responses)).toEqual({ 200: WRITERS })
  const taken = `select taken as changes from allowances where operator_id = $1 and name = 'changes'`
  expect(await sql(`${taken} union all select changes from agents where id = $2`, [operator.id, id])).toEqual(
    [{ changes: 1 }, { changes: 1 }],
  )
  const audited = `select action from audit_log where operator_id = $1 and action = 'operator.updated'`
  expect(await sql(audited, [operator.id])).toHaveLength(1)
})

it('two hundred concurrent writers of one operator stop at its quotas, and lose nothing', async () => {
  const operator = await newOperator({ now: TOMORROW })
  const { id } = operator
  const [{ slug }, { reg }] = await Promise.all([
    newPlatform(operator, {}, TOMORROW),
    newAgent(operator, {}, TOMORROW),
  ])
  await giveAllowances(h, operator, ['new_keys'])
  const name = (n: number) => `Number ${n}`
  const kinds: ((n: number) => [method: string, path: string, body: object])[] = [
    (n) => ['POST', '/operators/me/api-keys', { name: name(n) }],
    (n) => ['POST', '/platforms', { slug: freshSlug(), name: name(n) }],
    (n) => ['POST', '/agents', { name: name(n), class: 'A' }],
    (n) => ['PATCH', `/platforms/${slug}`, { name: name(n) }],
    (n) => ['PATCH', `/agents/${reg}`, { name: name(n) }],
  ]
  const write = (token: string, n: number) => {
    const [method, path, body] = kinds[n % kinds.length]?.(n) ?? ['', '', {}]
    const headers = { 'Idempotency-Key': `${n}` }
    return api(method, path, { token, headers, body, now: TOMORROW })
  }
  const writeAll = await inSessions(operator, TOMORROW)
  const responses = await writeAll(write)
  const ofKind = (kind: number) => responses.filter((_, n) => n % kinds.length === kind)
  const each = WRITERS / kinds.length
  expect(kinds.map((_, kind) => statusesOf(ofKind(kind)))).toEqual([
    { 201: FREE.live_keys, 409: each - FREE.live_keys },
    { 201: FREE.platforms - 1, 409: each - FREE.platforms + 1 },
    { 201: FREE.active_agents - 1, 402: each - FREE.active_agents + 1 },
    { 200: each },
    { 200: each },
  ])
  for (const { status, body, n } of responses.map((response, n) => ({ ...response, n })))
    if (status < 300) expect(body.name).toBe(name(n))

  const names = (response: ApiResponse[]) => withStatus(response, 201).map(({ body }) => body.name)
  const stored = async (text: string) => (await sql(text, [id])).map((row) => row.name)
  const keys = await stored('select name from api_keys where operator_id = $1')
  const platforms = await stored('select name from platforms where operator_id = $1 order by created_at')
  const agents = await stored('select name from agents where operator_id = $1 order by registered_at')
  expect(keys.sort()).toEqual(names(ofKind(0)).sort())
  expect(platforms).toEqual(expect.arrayContaining(names(ofKind(1))))
  expect(agents).toEqual(expect.arrayContaining(names(ofKind(2))))
  expect([platforms.length, agents.length]).toEqual([FREE.platforms, FREE.active_agents])
  const [counted] = await sql(
    `select o.active_agents, r.taken as registrations, a.changes, l.taken from operators o join agents a on a.operator_id = o.id
     join allowances l on l.operator_id = o.id and l.name = 'changes'
     join allowances r on r.operator_id = o.id and r.name = 'registrations' where o.id = $1 and a.reg = $2`,
    [id, reg],
  )
  const taken = FREE.live_keys + FREE.platforms + each
  expect(counted).toEqual({ active_agents: 3, registrations: 3, changes: each, taken })
  const audited = await sql(
    'select count(*)::integer as n from audit_log where operator_id = $1 and action ~ $2',
    [id, '^(api_key|platform)\\.'],
  )
  expect(audited).toEqual([{ n: taken }])

  const repeated = await writeAll((token, n) =>
    n % kinds.length === 2 ? write(token, n) : Promise.resolve(responses[n] as ApiResponse),
  )
  expect(repeated.map(({ status, body }) => [status, body])).toEqual(
    responses.map(({ status, body }) => [status, body]),
  )
})
