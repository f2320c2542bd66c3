import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { tirelessKey } from '../support/fill.ts'
import { type ApiResponse, type Body, connect, ownStack } from '../support/harness.ts'

const EVENTS = Number(process.env.EVENTS ?? 12_500)
const CLIENTS = 8
const AGENTS = 12
const BATCH = 500
const KILLS = 3 // of the Worker, the database, and the Worker again
const REPEATED = 0.2 // of the batches are sent again after their response, and as many twice concurrently
const RETRY_MS = 100

const MIX = [
  { event_type: 'task_completed', metadata: { response_ms: 900, quality: 0.9 } },
  { event_type: 'task_completed', metadata: { response_ms: 4_000, correct: true } },
  { event_type: 'task_completed' },
  { event_type: 'task_failed', severity: 'error', metadata: { quality: 0.25 } },
  { event_type: 'heartbeat' },
  { event_type: 'startup' },
  { event_type: 'shutdown' },
  { event_type: 'shutdown', severity: 'critical' },
  { event_type: 'error', severity: 'warning' },
  { event_type: 'incident', severity: 'critical' },
]

const own = await ownStack()
afterAll(own.stop)

interface Batch {
  key: string
  events: Body[]
}

it('the log has exactly the accepted events after repeated batches and kills of the Worker and the database', async () => {
  const operator = await own.newOperator({ tier: 'pro' })
  const token = await tirelessKey(own, operator)
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => own.newAgent(operator)))
  const ended = await own.newAgent(operator)
  await own.api('PATCH', `/agents/${ended.reg}`, { token: operator.token, body: { status: 'deactivated' } })

  const newBatch = (): Batch => ({
    key: randomUUID(),
    events: Array.from({ length: BATCH }, () => {
      const { metadata, ...kind } = { metadata: {}, ...MIX[randomInt(MIX.length)] }
      const reg = agents[randomInt(AGENTS)].reg
      const rejected = randomInt(50) === 0 && [{ reg: ended.reg }, { severity: 'fatal' }][randomInt(2)]
      return { reg, ...kind, metadata: { ...metadata, mark: randomUUID() }, ...rejected }
    }),
  })
  const sent: { batch: Batch; response: ApiResponse }[] = []
  const statuses = new Map<string, number>()

  /** Sends a batch until it has a response; an interrupted request may have been stored. */
  async function send({ key, events }: Batch): Promise<ApiResponse> {
    for (;;) {
      const response = await own
        .api('POST', '/activity/report/batch', {
          token,
          body: { events },
          headers: { 'Idempotency-Key': key },
        })
        .catch((error: Error) => {
          if (error.message !== 'fetch failed' && error.message !== 'terminated') throw error
        })
      const outcome = response ? String(response.status) : 'cut off'
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
      if (response && response.status !== 503) return response
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  let left = Math.ceil(EVENTS / BATCH)
  let stops = Array.from({ length: KILLS }, (_, n) => Math.floor((left * (n + 1)) / (KILLS + 1)))
  let restarting = Promise.resolve()
  const restart = async (isDatabase: boolean) => {
    if (isDatabase) {
      const [{ pid }] = await own.sql(
        `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer as pid`,
      )
      process.kill(pid, 'SIGKILL')
      await own.stack.restart()
    } else {
      await own.stack.worker.kill()
      await own.stack.restartWorker()
    }
  }
  async function report(): Promise<void> {
    while (left > 0) {
      left -= 1
      if (stops.includes(left)) {
        stops = stops.filter((stop) => stop !== left)
        const isDatabase = stops.length === 1
        restarting = restarting.then(() => restart(isDatabase))
      }
      const batch = newBatch()
      const copies = Math.random() < REPEATED ? [batch, batch] : [batch]
      for (const response of await Promise.all(copies.map(send))) sent.push({ batch, response })
      if (Math.random() < REPEATED) sent.push({ batch, response: await send(batch) })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, report))
  await restarting
  expect([...statuses.keys()].filter((status) => !['201', '207', '503', 'cut off'].includes(status))).toEqual(
    [],
  )
  expect(statuses.get('cut off')).toBeGreaterThan(0)
  expect(sent.some(({ response }) => response.headers.has('idempotency-replayed'))).toBe(true)
  expect(stops).toEqual([])

  const accepted = new Map<string, Body>()
  const responses = new Map<string, string>()
  for (const { batch, response } of sent) {
    const first = responses.get(batch.key)
    expect(response.text).toBe(first ?? response.text)
    responses.set(batch.key, response.text)
    for (const { index, event } of response.body.data) {
      const { reg, metadata, severity } = batch.events[index]
      expect(event === undefined).toBe(reg === ended.reg || severity === 'fatal')
      if (event) accepted.set(event.id, { ...event, mark: metadata.mark })
    }
  }
  expect(responses.size).toBe(EVENTS / BATCH)

  const after = connect(own.stack.dir, own.stack)
  const log = await after.sql(
    `select id, agent_id, seq::integer, metadata->>'mark' as mark, created_at from activity_events order by agent_id, seq`,
  )
  expect(log).toHaveLength(accepted.size)
  expect(new Set(log.map(({ mark }) => mark)).size).toBe(log.length)
  const wrong = log.filter(({ id, agent_id, mark, created_at }) => {
    const event = accepted.get(id)
    return (
      event?.agent_id !== agent_id || event.mark !== mark || event.created_at !== created_at.toISOString()
    )
  })
  expect(wrong).toEqual([])
  for (const { id, reg } of agents) {
    const mine = log.filter(({ agent_id }) => agent_id === id)
    expect(mine.every(({ seq }, n) => seq === n + 1)).toBe(true)
    const of = (type: string) => mine.filter((event) => accepted.get(event.id)?.event_type === type).length
    const { body } = await own.api('GET', `/agents/${reg}`)
    expect(body).toMatchObject({ tasks_completed: of('task_completed'), tasks_failed: of('task_failed') })
  }
  expect(await rebuildTrust(own.stack.database_url)).toEqual({
    agents: AGENTS + 1,
    events: log.length,
    findings: [],
  })
  await after.end()
}, 600_000)
