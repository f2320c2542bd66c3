import { randomInt } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { type Body, connect, type Harness, ownStack } from '../support/harness.ts'

const WRITERS = 8
const EVENTS = [
  { event_type: 'task_completed', metadata: { response_ms: 800, quality: 1 } },
  { event_type: 'task_failed', severity: 'error' },
  { event_type: 'heartbeat' },
]

const own = await ownStack()
afterAll(own.stop)

interface Reporter {
  reg: string
  key: string
}

async function newReporter(): Promise<Reporter> {
  const { operator, reg, key } = await own.newReporter({ tier: 'enterprise' })
  await own.sql('update api_keys set rate_limit_per_minute = 10000 where operator_id = $1', [operator.id])
  return { reg, key }
}

/** Reports events continuously, also while the service is down, until stopped; keeps the ids of accepted events. */
function startLoad(reporters: Reporter[]) {
  const accepted: string[] = []
  const rejected: number[] = []
  let running = true
  let awaited: { count: number; done: () => void } | null = null

  async function write(): Promise<void> {
    while (running) {
      const { reg, key } = reporters[randomInt(reporters.length)] as Reporter
      const body = { reg, ...EVENTS[randomInt(EVENTS.length)] }
      const response = await own.api('POST', '/activity/report', { token: key, body }).catch(() => null)
      if (response?.status === 201) accepted.push(response.body.id)
      else if (response) rejected.push(response.status)
      else await new Promise((resolve) => setTimeout(resolve, 50)) // the Worker is down: no busy loop
      if (awaited && accepted.length >= awaited.count) awaited.done()
    }
  }
  const writers = Array.from({ length: WRITERS }, write)
  return {
    accepted,
    rejected,
    /** Resolves after this many more accepted events. */
    more: (count: number) =>
      new Promise<void>((resolve) => {
        awaited = { count: accepted.length + count, done: resolve }
      }),
    async stop(): Promise<void> {
      running = false
      await Promise.all(writers)
    },
  }
}

/** Expects a log without gaps and counters that agree with it; returns the ids of its events. */
async function expectConsistent({ sql }: Harness, reg: string): Promise<string[]> {
  const log: Body[] = await sql(
    `select e.id, e.seq::integer, e.event_type from activity_events e join agents a on a.id = e.agent_id
     where a.reg = $1 order by e.seq`,
    [reg],
  )
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1))
  const count = (type: string) => log.filter(({ event_type }) => event_type === type).length
  const [stats] = await sql(
    `select events::integer, tasks_completed::integer, tasks_failed::integer, response_count::integer,
       response_ms::integer
     from agent_stats s join agents a on a.id = s.agent_id where a.reg = $1`,
    [reg],
  )
  const [daily] = await sql(
    `select sum(d.events)::integer as events, sum(completed)::integer as completed, sum(failed)::integer as failed,
       sum(graded_count)::integer as graded, sum(latency_satisfied)::integer as satisfied
     from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1`,
    [reg],
  )
  const [completed, failed] = [count('task_completed'), count('task_failed')]
  expect(stats).toEqual({
    events: log.length,
    tasks_completed: completed,
    tasks_failed: failed,
    response_count: completed,
    response_ms: completed * 800,
  })
  expect(daily).toEqual({
    events: log.length,
    completed,
    failed,
    graded: completed,
    satisfied: completed,
  })
  return log.map(({ id }) => id)
}

it('loses no accepted event and counts none twice when the Worker and then the database are killed', async () => {
  const reporters = await Promise.all([newReporter(), newReporter(), newReporter()])
  const load = startLoad(reporters)
  await load.more(100)
  await own.stack.worker.kill()
  await own.stack.restartWorker()
  await load.more(100)

  const [{ pid }] = await own.sql(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer as pid`,
  )
  process.kill(pid, 'SIGKILL')
  await own.stack.restart()
  await load.more(100)
  await load.stop()

  expect(load.rejected.filter((status) => status !== 503)).toEqual([])
  const after = connect(own.stack.dir, own.stack)
  const stored = (await Promise.all(reporters.map(({ reg }) => expectConsistent(after, reg)))).flat()
  expect(new Set(load.accepted).size).toBe(load.accepted.length)
  expect(load.accepted.filter((id) => !stored.includes(id))).toEqual([])
  await after.end()
})
