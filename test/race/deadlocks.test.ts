import pg from 'pg'
import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'

const { api, sql, database_url, newAgent, newOperator } = shared()

it('repeats a statement that Postgres aborted because of a deadlock', async () => {
  const operator = await newOperator()
  const { id, token } = operator
  const { reg } = await newAgent(operator)
  const other = new pg.Client({ connectionString: database_url })
  await other.connect()
  try {
    await other.query("begin; set local deadlock_timeout = '1min'") // so that Postgres aborts the Worker's statement
    await other.query('select from agents where reg = $1 for update', [reg])
    const updating = api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
    const waiting = `select from pg_stat_activity where usename = 'registry_worker' and wait_event_type = 'Lock'
      and query like '%from "agents"%for no key update'`
    await expect.poll(() => sql(waiting)).not.toEqual([])
    await other.query('select from operators where id = $1 for update', [id]) // which the Worker has locked
    await other.query('commit')
    expect(await updating).toMatchObject({ status: 200, body: { reg, status: 'deactivated' } })
  } finally {
    await other.end()
  }
  expect(await sql('select active_agents from operators where id = $1', [id])).toEqual([{ active_agents: 0 }])
})
