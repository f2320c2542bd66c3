import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { type Body, type Operator, ownStack } from '../support/harness.ts'

const RUNS_AT_ONCE = 20
const at = (text: string) => new Date(text)

const own = await ownStack() // its own stack, because its jobs run with dates months ahead
afterAll(own.stop)

const digestsOf = ({ id }: Operator): Promise<Body[]> =>
  own.sql(
    `select title, body, reg, created_at from notifications
     where operator_id = $1 and type = 'weekly_digest' order by created_at`,
    [id],
  )

/** An operator that signed up at this time, with an agent. */
async function newOwner(now: Date): Promise<Operator & { reg: string }> {
  const operator = await own.newOperator({ now })
  const { reg } = await own.newAgent(operator, {}, now)
  return { ...operator, reg }
}

const QUIET =
  'Events: 0. Tasks completed: 0, failed: 0. Incidents opened: 0, resolved: 0. Agents whose score rose: 0, fell: 0.'

it('sends one digest for the week from Monday to Monday, across the end of the year', async () => {
  const signUp = at('2026-12-28T09:00:00Z')
  const operator = await own.newOperator({ now: signUp })
  const [agent, other] = await Promise.all([
    own.newAgent(operator, {}, signUp),
    own.newAgent(operator, {}, signUp),
  ])
  const { key } = await own.newKey(operator, ['write'], {}, signUp)
  const report = (reg: string, event_type: string, time: string) =>
    own.report(key, reg, { event_type }, at(time))
  await report(agent.reg, 'task_completed', '2026-12-31T23:59:59Z')
  await report(agent.reg, 'task_completed', '2027-01-01T00:00:00Z')
  await report(agent.reg, 'task_failed', '2027-01-02T12:00:00Z')
  await report(other.reg, 'incident', '2027-01-02T12:00:00Z')
  await report(agent.reg, 'incident', '2027-01-03T23:59:59Z')
  await report(agent.reg, 'task_completed', '2027-01-04T00:00:00Z')
  const [opened] = await own.sql(
    'select i.id from incidents i join agents a on a.id = i.agent_id where a.reg = $1',
    [other.reg],
  )
  const resolved = await own.api('POST', `/incidents/${opened.id}/resolve`, {
    token: key,
    body: { resolution: 'fixed' },
    now: at('2027-01-03T10:00:00Z'),
  })
  expect(resolved.status).toBe(200)
  await own.sql(
    `insert into trust_scores select id, day::date, overall, 1, 1, 1, 1, 1, 9, '1.0', repeat('0', 64), '2027-01-01'
     from agents, (values ($1, '2026-12-20', 50), ($1, '2027-01-02', 49.9), ($1, '2027-01-03', 50.1), ($1, '2027-01-04', 10),
       ($2, '2026-12-27', 70), ($2, '2026-12-28', 69.9)) as s (reg, day, overall) where agents.reg = s.reg
     on conflict (agent_id, day) do update set overall = excluded.overall`,
    [agent.reg, other.reg],
  )

  await own.cron(at('2027-01-03T23:59:00Z'))
  expect(await digestsOf(operator)).toEqual([])
  await own.cron(at('2027-01-04T00:00:30Z'))
  const sent = [
    {
      title: 'Your week from 2026-12-28 to 2027-01-03',
      body: 'Events: 5. Tasks completed: 2, failed: 1. Incidents opened: 2, resolved: 1. Agents whose score rose: 1, fell: 1.',
      reg: null,
    },
  ]
  expect(await digestsOf(operator)).toMatchObject(sent)
  for (const later of ['2027-01-04T00:01:30Z', '2027-01-05T09:00:00Z', '2027-01-10T23:59:00Z'])
    await own.cron(at(later))
  expect(await digestsOf(operator)).toHaveLength(1)

  await own.cron(at('2027-01-13T17:00:00Z')) // nothing ran on Monday and Tuesday
  const [, second] = await digestsOf(operator)
  expect(second).toMatchObject({
    title: 'Your week from 2027-01-04 to 2027-01-10',
    body: expect.stringMatching(/^Events: 1\. Tasks completed: 1, failed: 0\./),
  })
  await own.cron(at('2027-01-27T17:00:00Z')) // nothing ran for two weeks: only the last week is sent
  const titles = (await digestsOf(operator)).map(({ title }) => title)
  expect(titles.slice(2)).toEqual(['Your week from 2027-01-18 to 2027-01-24'])
})

it(`sends one digest for ${RUNS_AT_ONCE} concurrent runs`, async () => {
  const owners = await Promise.all([1, 2, 3].map(() => newOwner(at('2027-02-04T10:00:00Z'))))
  const monday = at('2027-02-08T00:00:10Z')
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => own.cron(monday)))
  for (const owner of owners) expect(await digestsOf(owner)).toMatchObject([{ body: QUIET }])
})

it('sends a new operator its first digest on the Monday after sign-up', async () => {
  const owner = await newOwner(at('2027-03-01T00:00:00Z')) // a Monday
  await own.cron(at('2027-03-01T00:00:30Z'))
  await own.cron(at('2027-03-07T23:59:00Z'))
  expect(await digestsOf(owner)).toEqual([])
  await own.cron(at('2027-03-08T00:00:30Z'))
  expect(await digestsOf(owner)).toMatchObject([{ title: 'Your week from 2027-03-01 to 2027-03-07' }])
  await own.newOperator({ email: owner.email, now: at('2027-03-08T10:00:00Z') })
  await own.cron(at('2027-03-08T10:01:00Z'))
  expect(await digestsOf(owner)).toHaveLength(1)
})

it('sends none to operators that opted out, are suspended, or had no agent in the week', async () => {
  const signUp = at('2027-04-01T10:00:00Z')
  const [off, suspended, retired] = await Promise.all([newOwner(signUp), newOwner(signUp), newOwner(signUp)])
  const without = await own.newOperator({ now: signUp })
  const prefs = (weekly_digest: boolean) =>
    own.api('PATCH', '/operators/me', {
      token: off.token,
      body: { notification_prefs: { weekly_digest } },
      now: signUp,
    })
  expect((await prefs(false)).status).toBe(200)
  await own.suspend(suspended)
  const end = { token: retired.token, body: { status: 'deactivated' }, now: at('2027-04-03T10:00:00Z') }
  expect((await own.api('PATCH', `/agents/${retired.reg}`, end)).status).toBe(200)

  await own.cron(at('2027-04-05T00:00:30Z'))
  expect(await digestsOf(retired)).toHaveLength(1) // for the week in which its last agent was deactivated
  await prefs(true)
  await own.cron(at('2027-04-06T00:00:30Z'))
  for (const operator of [off, suspended, without]) expect(await digestsOf(operator)).toEqual([])
  await own.cron(at('2027-04-12T00:00:30Z'))
  expect(await digestsOf(off)).toHaveLength(1)
  expect(await digestsOf(retired)).toHaveLength(1)
})

it('sends digests to more operators than one page in one run', async () => {
  const owner = await newOwner(at('2027-06-03T10:00:00Z'))
  const many = 450
  await own.sql(
    `with copies as (
       insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
       select gen_random_uuid(), 'many', n::text, n || '@many.example', name, 3, notification_prefs, digest_week, created_at, created_at
       from operators, generate_series(1, $2::integer) as n where id = $1 returning id, subject
     )
     insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
     select gen_random_uuid(), 'REG-2099-' || lpad(subject, 4, '0') || '-0001-X', id, 'a', '', 'A', '{}', '2027-06-03'
     from copies`,
    [owner.id, many],
  )
  await own.cron(at('2027-06-07T00:00:30Z'))
  const [{ sent }] = await own.sql(
    `select count(*)::integer as sent from notifications n join operators o on o.id = n.operator_id
     where o.issuer = 'many' and n.type = 'weekly_digest'`,
  )
  expect(sent).toBe(many)
})

it('sends a digest to an operator while another transaction inserts rows for it', async () => {
  const owner = await newOwner(at('2027-07-01T10:00:00Z'))
  const client = new pg.Client({ connectionString: own.database_url })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into audit_log (id, operator_id, action, created_at) values (gen_random_uuid(), $1, 'test', now())`,
      [owner.id],
    )
    await own.cron(at('2027-07-05T00:00:30Z'))
    expect(await digestsOf(owner)).toHaveLength(1)
  } finally {
    await client.end()
  }
})

it('sends the other digests when one fails, and does not retry that one', async () => {
  const newOne = () => newOwner(at('2027-07-15T10:00:00Z'))
  const [bad, ...others] = await Promise.all([newOne(), newOne(), newOne(), newOne(), newOne(), newOne()])
  await own.sql(`create function reject_digest() returns trigger language plpgsql as
    $$ begin raise exception 'rejected' using errcode = 'query_canceled'; end $$`)
  await own.sql(`create trigger reject_digest before insert on notifications for each row
    when (new.operator_id = '${bad.id}') execute function reject_digest()`)
  try {
    await expect(own.cron(at('2027-07-19T00:00:30Z'))).rejects.toThrow('jobs failed')
    for (const owner of others) expect(await digestsOf(owner)).toHaveLength(1)
    await own.cron(at('2027-07-19T00:01:30Z'))
    expect(await digestsOf(bad)).toEqual([])
  } finally {
    await own.sql('drop function reject_digest cascade')
  }
  await own.cron(at('2027-07-26T00:00:30Z'))
  expect(await digestsOf(bad)).toHaveLength(1)
})
