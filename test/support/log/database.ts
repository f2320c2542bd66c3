import pg from 'pg'
import type { Body, Harness } from '../harness.ts'
import { separateDatabase } from '../migrate.ts'
import { fillBusy, newSeed, SAYS } from './traffic.ts'

/** Creates a separate database on the server of the stack, with agents whose events are not logged yet. */
export async function newLog(h: Harness, agents: number) {
  const { url, create, drop } = separateDatabase(h, 'tlog')
  await create()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => undefined)
  const made = await fillBusy(pool, agents)
  const rows = async (text: string, values: unknown[] = []): Promise<Body[]> =>
    (await pool.query(text, values)).rows
  const end = async () => {
    await pool.end()
    await drop()
  }
  return { url, pool, agents: made, rows, [Symbol.asyncDispose]: end }
}

export type Log = Awaited<ReturnType<typeof newLog>>

/** The SQL calls of one turn of the job. */
export const CALLS = [
  'select tlog_append_facts($1, $2, $3, null, $4) as done',
  'select tlog_append_events($1, $2, $3, null) as done',
]

/**
 * Runs one turn of the job.
 *
 * @param most maximum number of leaves per call
 * @returns whether there may be more leaves
 */
export async function takeTurn(client: pg.ClientBase | pg.Pool, most: number, at: Date): Promise<boolean> {
  let more = false
  for (const [n, call] of CALLS.entries()) {
    const values = [most, newSeed(), at, ...(n === 0 ? [JSON.stringify(SAYS)] : [])]
    const [{ done }] = (await client.query(call, values)).rows
    if (done.refusal !== undefined && done.refusal !== 'busy') throw new Error(done.refusal)
    more ||= done.more || done.refusal === 'busy'
  }
  return more
}
