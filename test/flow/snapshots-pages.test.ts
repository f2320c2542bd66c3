import { afterAll, beforeAll, expect, it } from 'vitest'
import { SIGNING_KEYS, signDelivery } from '../../local/stand-ins/qstash/sign.ts'
import { expectError, type Operator, ownStack } from '../support/harness.ts'
import { at, daysAfter, fillScored } from '../support/scored.ts'

const AGENTS = 12_000
const IN_ONE_RUN = 10_000
const PAGE = 500
const DAY = '2027-03-01'
const PATH = '/internal/qstash/snapshots'
const LONG_MS = 600_000

const own = await ownStack({ checked: false }) // its rollup rows have no events
let owner: Operator

beforeAll(async () => {
  await own.qstash.setClock({ mode: 'virtual' })
  owner = await own.newOperator()
  await fillScored(own, owner, { agents: AGENTS, days: 3, last: DAY, prefix: 'REG-1900-' })
})
afterAll(own.stop)

/** For a day: how many agents were scored, how many rows it has, and the least and most snapshots of an agent. */
async function scored(day: string) {
  const [row] = await own.sql(
    `select (count(*) filter (where scored_day = $1))::integer as agents,
       (select count(*)::integer from trust_scores where day = $1) as rows,
       min(score_revision) as least, max(score_revision) as most
     from agent_stats`,
    [day],
  )
  return row
}

async function pages() {
  const messages = await own.qstash.messages()
  return messages
    .filter(({ url }) => url.endsWith(PATH))
    .map(({ url, body }) => ({ url, ...JSON.parse(body) }))
}

const post = async (body: string, url = `${own.base_url}${PATH}`) => {
  const signature = await signDelivery(url, Buffer.from(body), SIGNING_KEYS.current)
  return own.api('POST', `/${PATH}`, { body, headers: { 'Upstash-Signature': signature } })
}

it(
  'schedules what one run cannot finish in pages without overlap, also if they are delivered twice',
  async () => {
    await own.cron(at(DAY, '12:30:00'))
    expect(await scored(DAY)).toEqual({ agents: IN_ONE_RUN, rows: IN_ONE_RUN, least: 0, most: 1 })
    const sent = await pages()
    expect(sent).toHaveLength((AGENTS - IN_ONE_RUN) / PAGE)
    for (const [n, page] of sent.entries()) {
      expect(page).toMatchObject({ url: `${own.base_url}${PATH}`, at: at(DAY, '12:30:00').toISOString() })
      expect(page.until).toBe(sent[n + 1]?.from ?? null)
    }
    await own.qstash.setFaults({ deliverTwice: true })
    await own.qstash.runUntilIdle()
    await own.qstash.clearFaults()
    expect(await scored(DAY)).toEqual({ agents: AGENTS, rows: AGENTS, least: 1, most: 1 })
    await own.cron(at(DAY, '12:31:00'))
    expect(await pages()).toEqual([])
    expect(await scored(DAY)).toMatchObject({ least: 1, most: 1 })
  },
  LONG_MS,
)

it(
  'computes lost pages in the next minute',
  async () => {
    const day = daysAfter(DAY, 1)
    const before = (await scored(day)).most
    await own.cron(at(day, '00:00:00'))
    expect(await scored(day)).toMatchObject({ agents: IN_ONE_RUN })
    expect(await pages()).toHaveLength(4)
    await own.qstash.clear()
    await own.cron(at(day, '00:01:00'))
    expect(await pages()).toEqual([])
    expect(await scored(day)).toMatchObject({ agents: AGENTS, least: before + 1, most: before + 1 })
  },
  LONG_MS,
)

it(
  'scores each agent once with concurrent runs, pages, and repeated pages',
  async () => {
    const day = daysAfter(DAY, 2)
    const before = (await scored(day)).most
    const midnight = at(day, '00:00:00')
    await own.qstash.setFaults({ deliverTwice: true })
    await own.qstash.setClock({ mode: 'real' })
    await Promise.all([own.cron(midnight), own.cron(midnight), own.cron(at(day, '00:01:00'))])
    await expect.poll(pages).toEqual([])
    await own.qstash.clearFaults()
    await own.qstash.setClock({ mode: 'virtual' })
    expect(await scored(day)).toMatchObject({ agents: AGENTS, least: before + 1, most: before + 1 })
  },
  LONG_MS,
)

it(
  'loses nothing when the Worker is killed between two pages',
  async () => {
    const day = daysAfter(DAY, 3)
    const before = (await scored(day)).most
    const run = own.cron(at(day, '00:00:00')).catch(() => 'interrupted')
    await expect.poll(async () => (await scored(day)).agents, { interval: 20 }).toBeGreaterThan(0)
    await own.stack.worker.kill()
    expect(await run).toBe('interrupted')
    await own.stack.restartWorker()
    const { agents } = await scored(day)
    expect(agents).toBeLessThan(AGENTS)
    for (const minute of ['00:01:00', '00:02:00']) await own.cron(at(day, minute))
    await own.qstash.runUntilIdle()
    expect(await scored(day)).toMatchObject({ agents: AGENTS, least: before + 1, most: before + 1 })
  },
  LONG_MS,
)

it('accepts only well-formed pages from QStash', async () => {
  const page = {
    from: '00000000-0000-7000-8000-000000000000',
    until: null,
    at: at(DAY, '12:00:00').toISOString(),
  }
  const body = JSON.stringify(page)
  expectError(await own.api('POST', `/${PATH}`, { body }), 401, 'UNAUTHORIZED', /^Upstash-Signature/)
  expectError(await post(body, `${own.base_url}/internal/qstash/deliver`), 401, 'UNAUTHORIZED')
  expect(await post(body)).toMatchObject({ status: 200, body: { agents: 0 } })
  for (const malformed of [{}, { ...page, from: 'x' }, { ...page, at: '2027-02-30T00:00:00Z' }])
    expectError(await post(JSON.stringify(malformed)), 400, 'VALIDATION_ERROR')
})
