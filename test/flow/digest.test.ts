import { afterAll, describe, expect, it } from 'vitest'
import { type Body, type Operator, ownStack } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const RUNS_AT_ONCE = 20
const at = (text: string) => new Date(text)

const own = await ownStack() // its own stack, because its jobs run with dates years ahead
afterAll(own.stop)

describe('the weekly digest', () => {
  const QUIET =
    'Events: 0. Tasks completed: 0, failed: 0. Incidents opened: 0, resolved: 0. Agents whose score rose: 0, fell: 0.'

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

  it('is one for the week from Monday to Monday, across the end of the year', async () => {
    const operator = await newOwner(at('2027-12-27T09:00:00Z'))
    const other = await own.newAgent(operator, {}, at('2027-12-27T09:00:00Z'))
    const { key } = await own.newKey(operator, ['write'], {}, at('2027-12-27T09:00:00Z'))
    for (const [reg, event_type, time] of [
      [operator.reg, 'task_completed', '2027-12-31T23:59:59Z'],
      [operator.reg, 'task_completed', '2028-01-01T00:00:00Z'],
      [operator.reg, 'task_failed', '2028-01-01T12:00:00Z'],
      [other.reg, 'incident', '2028-01-01T12:00:00Z'],
      [operator.reg, 'incident', '2028-01-02T23:59:59Z'],
      [operator.reg, 'task_completed', '2028-01-03T00:00:00Z'],
    ] as const)
      await own.report(key, reg, { event_type }, at(time))
    const [opened] = await own.sql(
      'select i.id from incidents i join agents a on a.id = i.agent_id where a.reg = $1',
      [other.reg],
    )
    const resolved = await own.api('POST', `/incidents/${opened.id}/resolve`, {
      token: key,
      body: { resolution: 'fixed' },
      now: at('2028-01-02T10:00:00Z'),
    })
    expect(resolved.status).toBe(200)
    await own.sql(
      `insert into trust_scores select id, day::date, overall, 1, 1, 1, 1, 1, 9, '1.0', repeat('0', 64), '2028-01-01'
       from agents, (values ($1, '2027-12-19', 50), ($1, '2028-01-01', 49.9), ($1, '2028-01-02', 50.1), ($1, '2028-01-03', 10),
         ($2, '2027-12-26', 70), ($2, '2027-12-27', 69.9)) as s (reg, day, overall) where agents.reg = s.reg
       on conflict (agent_id, day) do update set overall = excluded.overall`,
      [operator.reg, other.reg],
    )

    await own.cron(at('2028-01-02T23:59:00Z'))
    expect(await digestsOf(operator)).toEqual([])
    await own.cron(at('2028-01-03T00:00:30Z'))
    const title = 'Your week from 2027-12-27 to 2028-01-02'
    const body =
      'Events: 5. Tasks completed: 2, failed: 1. Incidents opened: 2, resolved: 1. Agents whose score rose: 1, fell: 1.'
    expect(await digestsOf(operator)).toMatchObject([{ title, body, reg: null }])
    for (const later of ['2028-01-03T00:01:30Z', '2028-01-04T09:00:00Z', '2028-01-09T23:59:00Z'])
      await own.cron(at(later))
    expect(await digestsOf(operator)).toHaveLength(1)
    const last = await newOwner(at('2028-01-02T12:00:00Z')) // the only one without a digest
    await own.cron(at('2028-01-09T23:59:30Z'))
    expect(await digestsOf(last)).toMatchObject([{ title }])

    await own.cron(at('2028-01-12T17:00:00Z')) // nothing ran on Monday and Tuesday
    await own.cron(at('2028-01-26T17:00:00Z')) // nothing ran for two weeks: only the last week is sent
    const [, ...later] = await digestsOf(operator)
    expect(later).toMatchObject([
      { title: 'Your week from 2028-01-03 to 2028-01-09', body: expect.stringMatching(/^Events: 1\. /) },
      { title: 'Your week from 2028-01-17 to 2028-01-23' },
    ])
  })

  it(`is sent once by ${RUNS_AT_ONCE} concurrent runs, first on the Monday after sign-up`, async () => {
    const owners = await Promise.all([1, 2, 3].map(() => newOwner(at('2028-02-07T00:00:00Z')))) // a Monday
    await own.cron(at('2028-02-07T00:00:30Z'))
    await own.cron(at('2028-02-13T23:59:00Z'))
    for (const owner of owners) expect(await digestsOf(owner)).toEqual([])
    const monday = at('2028-02-14T00:00:10Z')
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => own.cron(monday)))
    for (const owner of owners) expect(await digestsOf(owner)).toMatchObject([{ body: QUIET }])
  })

  it('is not sent to operators that opted out, are suspended, or had no agent in the week', async () => {
    const signUp = at('2028-03-30T10:00:00Z')
    const [off, suspended, retired] = [await newOwner(signUp), await newOwner(signUp), await newOwner(signUp)]
    const without = await own.newOperator({ now: signUp })
    const prefs = async (weekly_digest: boolean) => {
      const body = { notification_prefs: { weekly_digest } }
      const changed = await own.api('PATCH', '/operators/me', { token: off.token, body, now: signUp })
      expect(changed.status).toBe(200)
    }
    await prefs(false)
    await own.suspend(suspended)
    const end = { token: retired.token, body: { status: 'deactivated' }, now: at('2028-04-01T10:00:00Z') }
    expect((await own.api('PATCH', `/agents/${retired.reg}`, end)).status).toBe(200)

    const midnight = await newOwner(signUp)
    const monday = { token: midnight.token, body: { status: 'deactivated' }, now: at('2028-04-03T00:00:00Z') }
    expect((await own.api('PATCH', `/agents/${midnight.reg}`, monday)).status).toBe(200)
    await own.sql('update agents set deactivated_at = $2 where reg = $1', [midnight.reg, monday.now])

    await own.cron(at('2028-04-03T00:00:30Z'))
    expect(await digestsOf(retired)).toHaveLength(1) // for the week in which its last agent was deactivated
    await prefs(true)
    await own.cron(at('2028-04-04T00:00:30Z'))
    for (const operator of [off, suspended, without]) expect(await digestsOf(operator)).toEqual([])
    await own.cron(at('2028-04-10T00:00:30Z'))
    expect(await digestsOf(off)).toHaveLength(1)
    expect(await digestsOf(retired)).toHaveLength(1)
    expect(await digestsOf(midnight)).toHaveLength(2) // deactivated in the first instant of the second week
  })

  it('is sent in one run to more operators than one page, also while rows of one are being inserted', async () => {
    const owner = await newOwner(at('2028-06-01T10:00:00Z'))
    const many = 450
    await own.sql(
      `with copies as (
         insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
         select gen_random_uuid(), 'many', n::text, n || '@many.example', name, 3, notification_prefs, digest_week, created_at, created_at
         from operators, generate_series(1, $2::integer) as n where id = $1 returning id, subject
       )
       insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
       select gen_random_uuid(), 'REG-2099-' || lpad(subject, 4, '0') || '-0001-X', id, 'a', '', 'A', '{}', '2028-06-01'
       from copies`,
      [owner.id, many],
    )
    const entry = `insert into audit_log (id, operator_id, action, created_at) values (gen_random_uuid(), $1, 'test', now())`
    const held = await holdOpen(own, entry, [owner.id])
    await own.cron(at('2028-06-05T00:00:30Z'))
    await held.commit()
    expect(await digestsOf(owner)).toHaveLength(1)
    const [{ sent }] = await own.sql(
      `select count(*)::integer as sent from notifications n join operators o on o.id = n.operator_id
       where o.issuer = 'many' and n.type = 'weekly_digest'`,
    )
    expect(sent).toBe(many)
  })

  it('is sent to the others when one fails, which is not retried', async () => {
    const [bad, ...others] = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => newOwner(at('2028-07-13T10:00:00Z'))),
    )
    await own.sql(`create function reject_digest() returns trigger language plpgsql as
      $$ begin raise exception 'rejected' using errcode = 'query_canceled'; end $$`)
    await own.sql(`create trigger reject_digest before insert on notifications for each row
      when (new.operator_id = '${bad?.id}') execute function reject_digest()`)
    try {
      await expect(own.cron(at('2028-07-17T00:00:30Z'))).rejects.toThrow('jobs failed')
      for (const owner of others) expect(await digestsOf(owner)).toHaveLength(1)
      await own.cron(at('2028-07-17T00:01:30Z'))
      expect(await digestsOf(bad as Operator)).toEqual([])
    } finally {
      await own.sql('drop function reject_digest cascade')
    }
    await own.cron(at('2028-07-24T00:00:30Z'))
    expect(await digestsOf(bad as Operator)).toHaveLength(1)
  })
})
