import { expect, it } from 'vitest'
import { tirelessReporter } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { withClient } from '../support/migrate.ts'

const h = shared()
const { admin, api, sql, database_url, newAgent, newOperator, newReporter, report, cron } = h

it('stores parallel batches over the same five agents, and single reports, without deadlocks', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const more = await Promise.all([1, 2, 3, 4].map(() => newAgent(operator)))
  const regs = [reg, ...more.map((agent) => agent.reg)]
  const deadlocks = () => sql('select deadlocks from pg_stat_database where datname = current_database()')
  const before = await deadlocks()
  const events = (n: number) =>
    Array.from({ length: 12 }, (_, m) => ({ reg: regs[(n + (n % 2 ? m : 12 - m)) % 5], event_type: 'x' }))
  // On a busy machine a request may exceed its deadline; a repeat with the same key completes it.
  const untilStored = async (path: string, body: object, n: number): Promise<number> => {
    const headers = { 'Idempotency-Key': `${path} ${n}` }
    const { status } = await api('POST', path, { token: key, body, headers })
    return status === 503 ? untilStored(path, body, n) : status
  }
  const sent = Array.from({ length: 40 }, (_, n) =>
    Promise.all([
      untilStored('/activity/report/batch', { events: events(n) }, n),
      untilStored('/activity/report', { reg: regs[n % 5], event_type: 'x' }, n),
    ]),
  )
  expect(new Set((await Promise.all(sent)).flat())).toEqual(new Set([201]))
  expect(await deadlocks()).toEqual(before)
})

it('repeats a statement that Postgres aborted because of a deadlock', async () => {
  const operator = await newOperator()
  const { id, token } = operator
  const { reg } = await newAgent(operator)
  await withClient(database_url, async (other) => {
    await other.query("begin; set local deadlock_timeout = '1min'") // so that Postgres aborts the Worker's statement
    await other.query('select from agents where reg = $1 for update', [reg])
    const updating = api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
    const waiting = `select from pg_stat_activity where usename = 'registry_worker' and wait_event_type = 'Lock'
      and query like '%from "agents"%for no key update'`
    await expect.poll(() => sql(waiting)).not.toEqual([])
    await other.query('select from operators where id = $1 for update', [id]) // which the Worker has locked
    await other.query('commit')
    expect(await updating).toMatchObject({ status: 200, body: { reg, status: 'deactivated' } })
  })
  expect(await sql('select active_agents from operators where id = $1', [id])).toEqual([{ active_agents: 0 }])
})

it('an erasure locks the log before the agent, as the job that appends to it', async () => {
  const { agent, key, reg } = await newReporter()
  const { id } = await report(key, reg)
  await admin('redact', id, '--reason', 'law')
  const isLogged = () => sql('select from agent_stats where agent_id = $1 and logged_events = 1', [agent.id])
  await expect.poll(() => cron().then(isLogged)).toHaveLength(1)
  await withClient(database_url, async (job) => {
    await job.query("begin; set local lock_timeout = '10s'")
    await job.query('select from tlog_state for update')
    const erasing = admin('erase', id)
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%tlog_state%for update%'`
    await expect.poll(() => sql(waiting)).not.toEqual([])
    await job.query('select from agent_stats where agent_id = $1 for no key update', [agent.id])
    await job.query('commit')
    expect(await erasing).toContain(`event ${id} of ${reg} is erased`)
  })
})
