import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WRITERS } from '../support/at-once.ts'
import { shared } from '../support/harness.ts'
import { CALLS, type Log, newLog, takeTurn } from '../support/log/database.ts'
import { newSeed, SAYS, score, scorePage, write } from '../support/log/traffic.ts'
import { checkLog } from '../support/log-check.ts'
import { withClient } from '../support/migrate.ts'

const h = shared()

const TRANSACTIONS = 12
const AGENTS = 12
const KILL_EVERY_MS = 150
/** Midnight: the clocks of the writers are before and after it. */
const NOW = new Date('2026-11-20T00:00:00Z')
const DAYS = ['2026-11-19', '2026-11-20']
/** A time after both days. */
const LATER = new Date('2026-11-21T00:10:00Z')
const ENDED = ['57P01', 'ECONNRESET']

/** Runs the job until the writers are done; reconnects when its connection was terminated. */
async function runJob({ url }: Log, most: number, isOver: () => boolean, backends: Set<number>) {
  while (!isOver()) {
    try {
      await withClient(url, async (client) => {
        const [{ pid }] = (await client.query('select pg_backend_pid() as pid')).rows
        backends.add(pid)
        while (!isOver()) {
          await takeTurn(client, most, LATER)
          await sleep(randomInt(4))
        }
      })
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (!ENDED.includes(code ?? '') && !/terminated|not queryable/.test(message)) throw error
    }
  }
}

/** Terminates connections of the jobs, one every `KILL_EVERY_MS`; returns how many. */
async function kill({ rows }: Log, backends: Set<number>, isOver: () => boolean): Promise<number> {
  let killed = 0
  while (!isOver()) {
    await sleep(KILL_EVERY_MS)
    const [pid] = [...backends].toSorted(() => Math.random() - 0.5)
    if (pid === undefined) continue
    backends.delete(pid)
    const [{ ended }] = await rows('select pg_terminate_backend($1) as ended', [pid])
    if (ended) killed += 1
  }
  return killed
}

/** Runs writers, scores, and two jobs with different batch sizes concurrently; optionally terminates the jobs' connections. */
async function race(log: Log, { kills }: { kills: boolean }): Promise<number> {
  const { url, agents } = log
  let over = false
  const isOver = () => over
  const backends = new Set<number>()
  const jobs = [9, 64].map((most) => runJob(log, most, isOver, backends))
  const killer = kills ? kill(log, backends, isOver) : 0
  const writers = [
    ...Array.from({ length: WRITERS }, () => write(url, agents, { transactions: TRANSACTIONS, now: NOW })),
    ...[1, 2].map(() => score(url, agents, { transactions: 2 * TRANSACTIONS, days: DAYS })),
  ]
  const ended = await Promise.allSettled(writers)
  over = true
  const [killed] = await Promise.all([killer, ...jobs])
  expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
  return killed
}

async function expectBalanced({ url, pool, rows, agents }: Log): Promise<void> {
  const ids = agents.map(({ id }) => id)
  await withClient(url, async (client) => {
    while (await takeTurn(client, 4_096, LATER));
    await scorePage(client, ids, DAYS)
    while (await takeTurn(client, 4_096, LATER));
  })
  const { problems } = await checkLog(pool)
  expect(problems).toEqual([])
  const [left] = await rows(
    `select (select count(*)::integer from agent_stats where unlogged_since is not null) as marks,
       (select count(*)::integer from agent_stats where events <> logged_events) as behind,
       (select count(*)::integer from tlog_outbox) as changes, (select count(*)::integer from tlog_days) as days`,
  )
  expect(left).toEqual({ marks: 0, behind: 0, changes: 0, days: 0 })
  const [said] = await rows(
    `select count(*)::integer as days, count(*) filter (where convert_from(l.leaf, 'UTF8')
       = tlog_day_leaf(f.agent_id, a.reg, right(f.subject, 10)::date, f.rev))::integer as same
     from (select distinct on (subject) * from tlog_facts where kind = 'day' order by subject, rev desc) f
     join agents a on a.id = f.agent_id join tlog_leaves(f.index / 256) l on l.index = f.index`,
  )
  const [stored] = await rows('select count(distinct (agent_id, day))::integer as days from trust_scores')
  expect(said).toEqual({ days: stored.days, same: stored.days })
}

const eventsOf = async ({ rows }: Log): Promise<number> =>
  (await rows('select count(*)::integer as events from activity_events'))[0].events

it('logs each event once and in order, with late commits and concurrent jobs', async () => {
  await using log = await newLog(h, AGENTS)
  await race(log, { kills: false })
  await expectBalanced(log)
  expect(await eventsOf(log)).toBeGreaterThan(WRITERS * TRANSACTIONS)
})

it('logs each event once when connections of the jobs are terminated at any statement', async () => {
  await using log = await newLog(h, AGENTS)
  expect(await race(log, { kills: true })).toBeGreaterThan(2)
  await expectBalanced(log)
})

it('appends no leaf twice when the job did not receive the result of an append', async () => {
  await using log = await newLog(h, AGENTS)
  await write(log.url, log.agents, { transactions: 10, now: NOW })
  await withClient(log.url, (client) =>
    client.query(CALLS[0] ?? '', [9, newSeed(), LATER, JSON.stringify(SAYS)]),
  )
  const [first] = await log.rows(CALLS[1] ?? '', [1, newSeed(), LATER])
  expect(first.done).toMatchObject({ appended: 1, more: true })
  for (let n = 0; n < 6; n++) {
    await withClient(log.url, async (client) => {
      void client.query(CALLS[1] ?? '', [9, newSeed(), LATER]).catch(() => undefined)
      await sleep(randomInt(20))
    })
  }
  await expectBalanced(log)
})
