import { verifyAgent, verifyScore } from '@agentreg/verify'
import { expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { storeRows, unknownReg } from '../support/fill.ts'
import { type Body, freshIp, shared } from '../support/harness.ts'
import { expectFailed, run } from '../support/log/story.ts'
import { dayOfAge, rowsOf, type Stretch } from '../vectors/rollups.ts'

const h = shared()
const { newOperator, newAgent, newReporter, report, base_url: baseUrl } = h

const TODAY = utcDay(new Date())
const RECORD: Stretch[] = [
  { source: 'independent', from: 0, to: 89, tasks: 40, completed: 38, quality: 0.95, satisfied: 0.9 },
  { source: 'self', from: 0, to: 89, tasks: 10, completed: 9 },
]

type Tamper = (body: Body, path: string) => unknown

/** Verifies a score through a proxy that can change responses. */
async function verify(reg: string, tamper: Tamper = () => undefined, date?: string) {
  const requests: string[] = []
  const found = await verifyScore(baseUrl, reg, {
    date,
    maxWaitSeconds: 0,
    fetch: async (url, init) => {
      const path = url.slice(baseUrl.length)
      requests.push(path)
      expect(init.headers).toBeUndefined()
      const response = await fetch(url, { ...init, headers: { 'CF-Connecting-IP': freshIp() } })
      const body = (await response.json()) as Body
      const changed = (await tamper(body, path)) ?? body
      return new Response(typeof changed === 'string' ? changed : JSON.stringify(changed), response)
    },
  })
  return { ...found, detail: found.checks[0]?.detail, requests }
}

async function agentWith(rows: Parameters<typeof storeRows>[2]): Promise<string> {
  const { id, reg } = await newAgent(await newOperator())
  await storeRows(h, id, rows)
  return reg
}

const isInputs = (path: string) => path.includes('/inputs')

it('confirms a score by four public requests, and that of a past day by one', async () => {
  const reg = await agentWith(rowsOf(RECORD, TODAY))
  const path = `/api/v1/agents/${reg}/trust-score`
  const { requests, verdict } = await verify(reg)
  expect(verdict).toBe('verified')
  expect(requests).toEqual([`${path}/inputs`, path, `/api/v1/verify/${reg}/token`, `${path}/inputs`])
  const past = dayOfAge(40, TODAY)
  const then = await verify(reg, undefined, past)
  expect(then.requests).toEqual([`${path}/inputs?date=${past}`])
  expect(then).toMatchObject({
    verdict: 'verified',
    detail: expect.stringMatching(`^${past}: .*, events: 2500$`),
  })
  expect(await verify(await agentWith([]))).toMatchObject({ verdict: 'verified', inputs: { score: null } })
})

/** Changes only the inputs. */
const inputsWith =
  (change: (body: Body) => object): Tamper =>
  (body, path) =>
    isInputs(path) ? { ...body, ...change(body) } : undefined

const FORGERIES: [what: string, tamper: Tamper, detail: RegExp][] = [
  [
    'a changed downtime that does not affect the score',
    inputsWith(({ rows }) => ({ rows: rows.with(3, { ...rows[3], down_seconds: 1 }) })),
    /^the rows: sha256 is/,
  ],
  [
    'rows in another order',
    inputsWith(({ rows }) => ({ rows: rows.toReversed() })),
    /not those of its window, in order/,
  ],
  ['another window', inputsWith(() => ({ today: dayOfAge(1, TODAY) })), /not those of its window/],
]

it('detects forgeries', async () => {
  const reg = await agentWith(rowsOf(RECORD, TODAY))
  for (const [what, tamper, detail] of FORGERIES) {
    const { verdict, detail: found } = await verify(reg, tamper)
    expect({ what, verdict, found }).toEqual({
      what,
      verdict: 'failed',
      found: expect.stringMatching(detail),
    })
  }
})

it('detects that the score of an active agent is that of an earlier day', async () => {
  const { reg } = await newReporter()
  const ip = { 'CF-Connecting-IP': freshIp() }
  const earlier = { ...ip, 'X-Test-Now': new Date(Date.now() - 2 * DAY_MS).toISOString() }
  const found = await verifyAgent(baseUrl, reg, {
    fetch: (url, init) => fetch(url, { ...init, headers: url.includes('/trust-score') ? earlier : ip }),
  })
  expectFailed(found, 'token', /its score is of 2/)
  expect(found.checks.filter(({ ok }) => ok === false)).toHaveLength(1)
})

it('does not report an event between its requests as a forgery', async () => {
  const { key, reg } = await newReporter()
  for (let n = 0; n < 12; n++) await report(key, reg)
  let late = 1
  const found = await verify(reg, async (_, path) => {
    if (isInputs(path) && late-- > 0) await report(key, reg, { event_type: 'incident', severity: 'critical' })
  })
  expect(found).toMatchObject({ verdict: 'verified', detail: expect.stringContaining('events: 13') })
  expect(found.requests).toHaveLength(7)
})

it('is incomplete if the inputs change during every attempt, or cannot be read', async () => {
  const { key, reg } = await newReporter()
  const moving = await verify(reg, async (_, path) => {
    if (isInputs(path)) await report(key, reg)
  })
  expect(moving).toMatchObject({
    verdict: 'incomplete',
    detail: expect.stringContaining('changed while it was read'),
  })
  for (const nonsense of ['<html>', '{}', '{"rows":[{}]}', '[]'])
    expect(await verify(reg, () => nonsense)).toMatchObject({ verdict: 'incomplete', inputs: null })
  const newer = await verify(
    reg,
    inputsWith(() => ({ algorithm_version: '1.1' })),
  )
  expect(newer).toMatchObject({ verdict: 'incomplete', detail: 'the score is of algorithm 1.1, not 1.0' })
})

it('is a command, with the exit status of its verdict', async () => {
  const reg = await agentWith(rowsOf(RECORD, TODAY))
  const past = dayOfAge(40, TODAY)
  const out = expect.stringMatching(new RegExp(`^score +ok +${past}: `, 'm'))
  expect(await run(baseUrl, reg, '--score', '--date', past)).toMatchObject({ status: 0, err: '', out })
  expect(await run(baseUrl, unknownReg(), '--score')).toMatchObject({ status: 1, err: '' })
  expect(await run(baseUrl, reg, '--score', '--date', '2099-01-01')).toMatchObject({ status: 2 })
})
