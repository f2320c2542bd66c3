import { expect, it } from 'vitest'
import { logOf, tirelessKey } from '../support/fill.ts'
import { type ApiResponse, type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newOperator, newAgent } = h

const TYPES = [
  ...['task_completed', 'task_failed', 'task_completed', 'error', 'incident'],
  ...['startup', 'task_completed', 'shutdown', 'heartbeat', 'task_completed', 'task_failed'],
]
const SEVERITIES = ['info', 'warning', 'error', 'critical', 'info', 'info', 'info']
const METADATA: object[] = [
  {},
  { response_ms: 2_000.5, quality: 0.333 },
  { response_ms: 8_000, correct: true },
  { response_ms: 8_001, correct: false, quality: 0.5 },
  { response_ms: 86_400_001, quality: 1.01, correct: true },
  { response_ms: -1, quality: '1', correct: 'yes' },
  { response_ms: null, quality: null, correct: null },
  { response_ms: 1234.5678, quality: 0.98765 },
  { title: 'a title', description: 'a description', quality: 0 },
]

// That the rollups are those of the log is checked at the end of the run.
it('200 parallel batches over the same five agents are all stored completely, without deadlocks', async () => {
  const operator = await newOperator({ tier: 'pro' })
  const agents = await Promise.all([1, 2, 3, 4, 5].map(() => newAgent(operator)))
  const regs = agents.map(({ reg }) => reg as string)
  const key = await tirelessKey(h, operator)
  const deadlocks = () =>
    sql('select deadlocks::integer from pg_stat_database where datname = current_database()')
  const before = await deadlocks()
  // On a busy machine a batch may exceed its deadline; repeats with the same key complete it.
  const report = async (body: object, n: number, repeats = 20): Promise<ApiResponse> => {
    const headers = { 'Idempotency-Key': `batch ${n}` }
    const response = await api('POST', '/activity/report/batch', { token: key, body, headers })
    return response.status === 503 && repeats > 0 ? report(body, n, repeats - 1) : response
  }
  const batches = Array.from({ length: 200 }, (_, batch) => ({
    events: Array.from({ length: 12 }, (_, event) => {
      const n = 12 * batch + event
      const [reg, event_type] = [regs[n % 5], TYPES[n % TYPES.length]]
      return { reg, event_type, severity: SEVERITIES[n % 7], metadata: METADATA[n % METADATA.length] }
    }),
  }))
  const responses = await Promise.all(batches.map((body, n) => report(body, n)))
  expect(responses.map(({ status }) => status)).toEqual(batches.map(() => 201))
  expect(await deadlocks()).toEqual(before)
  const log = (await Promise.all(regs.map((reg) => logOf(h, reg)))).flat()
  const confirmed = responses.flatMap(({ body }) => body.data.map(({ event }: Body) => event.id))
  expect(log.map(({ id }) => id).sort()).toEqual(confirmed.sort())
})
