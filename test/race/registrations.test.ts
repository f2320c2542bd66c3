import { expect, it } from 'vitest'
import { isAgentNumber } from '../../src/lib/agent-number.ts'
import { atOnce, statusesOf, withStatus } from '../support/at-once.ts'
import { expectError, type Operator, shared } from '../support/harness.ts'

const { api, sql, newOperator, newPlatform } = shared()
const BODY = { name: 'Racer', class: 'S' }

const register = ({ token }: Operator, now?: Date) =>
  api('POST', '/agents', { token, body: BODY, ...(now && { now }) })

it('registers exactly three of fifty concurrent agents of an operator with a limit of three', async () => {
  const operator = await newOperator()
  const responses = await atOnce(() => register(operator), 50)
  expect(statusesOf(responses)).toEqual({ 201: 3, 402: 47 })
  for (const response of withStatus(responses, 402)) expectError(response, 402, 'AGENT_LIMIT_REACHED', /3/)
  const [stored] = await sql(
    `select active_agents, (select count(*)::integer from agents where operator_id = o.id) as agents,
       (select count(*)::integer from agent_stats s join agents a on a.id = s.agent_id where operator_id = o.id) as stats
     from operators o where id = $1`,
    [operator.id],
  )
  expect(stored).toEqual({ active_agents: 3, agents: 3, stats: 3 })
})

it('gives 200 concurrently registered agents different numbers with the correct check character', async () => {
  const operators = await atOnce(() => newOperator({ tier: 'pro' }), 10)
  const responses = await atOnce((n) => register(operators[n % 10] as Operator), 200)
  expect(statusesOf(responses)).toEqual({ 201: 200 })
  const regs = responses.map(({ body }) => body.reg as string)
  expect(new Set(regs).size).toBe(200)
  expect(regs.filter((reg) => !isAgentNumber(reg))).toEqual([])
})

it('continues eight blocks after a full one, and skips no number', async () => {
  const now = new Date('2093-05-05T05:05:05Z') // a year that no other test registers in
  const operator = await newOperator({ tier: 'pro', now })
  await sql(
    'insert into number_slots (year, slot, block, next) select 2093, slot, slot + 1, 9998 from generate_series(0, 7) slot',
  )
  const responses = await atOnce(() => register(operator, now), 50)
  expect(statusesOf(responses)).toEqual({ 201: 50 })
  const regs = responses.map(({ body }) => /^REG-2093-(\d{4}-\d{4})-/.exec(body.reg)?.[1] ?? '')
  const given = Map.groupBy(regs, (reg) => (Number(reg.slice(0, 4)) - 1) % 8)
  const digits = (value: number) => String(value).padStart(4, '0')
  for (const [slot, numbers] of given) {
    const before = [`${digits(slot + 1)}-9998`, `${digits(slot + 1)}-9999`]
    const after = numbers.map((_, n) => `${digits(slot + 9)}-${digits(n + 1)}`)
    expect(numbers.sort()).toEqual([...before, ...after].slice(0, numbers.length))
  }
})

it('gives each of the last numbers of a year to one agent, then an error, and from the next year on the first ones', async () => {
  const now = new Date('2095-12-31T12:00:00Z')
  const operator = await newOperator({ tier: 'pro', now })
  // The last block of each slot; five numbers are left in three of them.
  await sql(
    `insert into number_slots (year, slot, block, next)
     select 2095, slot, case slot when 7 then 9992 else 9993 + slot end,
       case slot when 0 then 9998 when 5 then 9999 when 7 then 9998 else 10000 end
     from generate_series(0, 7) slot`,
  )
  const responses = await atOnce(() => register(operator, now), 30)
  const regs = withStatus(responses, 201).map(({ body }) => body.reg.slice(0, -2))
  const left = ['9992-9998', '9992-9999', '9993-9998', '9993-9999', '9998-9999']
  expect(regs.sort()).toEqual(left.map((number) => `REG-2095-${number}`))
  expect(withStatus(responses, 409)).toHaveLength(25)
  for (const response of withStatus(responses, 409))
    expectError(response, 409, 'CONFLICT', /2095 are allocated/)
  expect(
    await sql(
      `select active_agents, (select count(*)::integer from agents where operator_id = o.id) as agents
       from operators o where id = $1`,
      [operator.id],
    ),
  ).toEqual([{ active_agents: 5, agents: 5 }])
  expect((await register(operator, new Date('2096-01-01T00:00:00Z'))).body.reg).toMatch(
    /^REG-2096-000[1-8]-0001-/,
  )
})

it('does not count registrations with an unknown platform toward the agent limit', async () => {
  const operator = await newOperator()
  const platform = await newPlatform(operator)
  const responses = await atOnce((n) => {
    const platform_slug = n % 10 === 0 ? platform.slug : 'no-such-platform'
    return api('POST', '/agents', { token: operator.token, body: { ...BODY, platform_slug } })
  }, 30)
  expect(statusesOf(responses)).toEqual({ 201: 3, 404: 27 })
  expect(await sql('select active_agents from operators where id = $1', [operator.id])).toEqual([
    { active_agents: 3 },
  ])
})
