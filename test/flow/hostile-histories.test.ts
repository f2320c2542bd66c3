import { hashInputs, scoreAgent, verifyScore } from '@agentreg/verify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../src/lib/time.ts'
import { establish, identify, platformKey } from '../support/attested.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Body, freshIp, type Operator, ownStack } from '../support/harness.ts'
import { seeded } from '../vectors/rollups.ts'

// Whoever reads a score gets the same from the service, from its published inputs, and from the log added up again.

const AGENTS = 25
const DAYS = 9
const SILENT_DAYS = 3 // at the end, in which outages of some agents do not end
const BATCH = 30
const SEED = 20_261_123

const own = await ownStack()
afterAll(own.stop)
const { api, newOperator, newAgent, newPlatform } = own

const random = seeded(SEED)
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
const START = Date.parse(utcDay(new Date(Date.now() - DAYS * DAY_MS)))
const TYPES = ['task_completed', 'task_completed', 'task_failed', 'startup', 'shutdown', 'incident', 'note']
const METADATA = [{}, { quality: 0.9, response_ms: 900 }, { quality: 0.1 }, { correct: false }]

let regs: string[]

/** A random event; of every third agent, one side ends no outage on the last days, of every other third neither does. */
const eventOf = (reg: string, isOwn: boolean, day: number) => ({
  reg,
  event_type: pick(
    day > DAYS - SILENT_DAYS && regs.indexOf(reg) % 3 > Number(isOwn)
      ? ['shutdown', 'task_failed', 'note']
      : TYPES,
  ),
  severity: pick(['info', 'warning', 'error', 'critical']),
  metadata: pick(METADATA),
})

/** Reports, each day around its midnight and at some other time, of every operator and platform about any agent. */
async function live(operators: Operator[], hosts: Operator[]): Promise<void> {
  const platforms: string[] = (await Promise.all(hosts.map((host) => newPlatform(host)))).map(
    ({ slug }) => slug,
  )
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      const owner = operators[n % operators.length] as Operator
      const platform_slug = platforms[n % (platforms.length + 1)]
      return {
        owner,
        ...(await newAgent(owner, platform_slug ? { platform_slug } : {}, new Date(START))),
      } as Body
    }),
  )
  regs = agents.map(({ reg }) => reg)
  const keys = await Promise.all([
    ...operators.map((operator) => tirelessKey(own, operator)),
    ...hosts.map((host, n) => platformKey(own, host, platforms[n] ?? '', new Date(START))),
  ])
  for (let day = 0; day <= DAYS; day++) {
    if (day === 2) await identify(own, ...hosts, ...operators.slice(1)) // the first one stays unverified
    if (day === 4) await establish(own, platforms[0] ?? '')
    if (day === 6) await administer(own.database_url, ['distrust', platforms[1] ?? ''])
    const times = [0, DAY_MS - MINUTE_MS / 2].map((ms) => START + day * DAY_MS + ms)
    for (const time of times.filter((ms) => ms < Date.now())) {
      const now = new Date(time)
      const { owner, reg } = pick(agents)
      const platform_slug = pick([...platforms, null])
      await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { platform_slug }, now })
      for (const [n, token] of keys.entries()) {
        const events = Array.from({ length: BATCH }, () => eventOf(pick(regs), n < operators.length, day))
        const body = { events: events.flatMap((event) => (random() < 0.1 ? [event, event] : [event])) }
        const headers = { 'Idempotency-Key': `${time}` }
        const sent = await api('POST', '/activity/report/batch', { token, body, headers, now })
        expect(sent.status, sent.text).toBeLessThan(300)
        if (random() > 0.2) continue
        const again = await api('POST', '/activity/report/batch', { token, body, headers, now })
        expect(again.body).toEqual(sent.body)
      }
    }
  }
}

beforeAll(async () => {
  const people = () => newOperator({ tier: 'business', now: new Date(START) })
  const [operators, hosts] = await Promise.all([
    Promise.all([people(), people(), people()]),
    Promise.all([people(), people(), people()]),
  ])
  await live(operators, hosts)
})

it('the agents have reports of all sources, both sides, and open outages', async () => {
  const [found] = await own.sql(
    `select count(distinct source)::integer as sources, count(distinct agent_id)::integer as agents from agent_evidence`,
  )
  expect(found).toEqual({ sources: 4, agents: AGENTS })
  const open = await Promise.all(regs.map((reg) => inputsOf(reg)))
  expect(new Set(open.map(({ open_outages }) => open_outages))).toEqual(new Set([0, 1, 2]))
})

it('their scores follow from the published inputs, today and on past days', async () => {
  for (const reg of regs) {
    const today = utcDay(new Date())
    const days = [today, utcDay(new Date(START + Math.floor(random() * DAYS) * DAY_MS))]
    for (const day of days) {
      const { rows, open_outages, score, sha256 } = await inputsOf(reg, day)
      const computed = scoreAgent(rows, day, open_outages)
      expect(score).toEqual(computed && expect.objectContaining({ overall: computed.overall }))
      expect(await hashInputs(rows, open_outages)).toBe(sha256)
    }
    const { body } = await api('GET', `/agents/${reg}/trust-score`)
    expect(body.overall).toBe((await inputsOf(reg)).score?.overall)
    const fetchFresh = (url: string, init: RequestInit) =>
      fetch(url, { ...init, headers: { 'CF-Connecting-IP': freshIp() } })
    expect((await verifyScore(own.base_url, reg, { fetch: fetchFresh })).verdict).toBe('verified')
  }
})

it('their rows and states are those of their logs, added up again', async () => {
  const { agents, findings } = await rebuildTrust(own.database_url)
  expect({ agents, findings }).toEqual({ agents: AGENTS, findings: [] })
})

async function inputsOf(reg: string, day = utcDay(new Date())): Promise<Body> {
  return (await api('GET', `/agents/${reg}/trust-score/inputs?date=${day}`)).body
}
