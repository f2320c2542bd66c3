import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it } from 'vitest'
import { verifyToken } from '../../packages/verify/index.ts'
import { STANDINGS, type Standing } from '../../src/db/enums.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { attestedAgent } from '../support/attested.ts'
import { type Cli, jsonOf, newCli } from '../support/cli.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilVerified } from '../support/logged.ts'

const h = shared()
const { api, base_url } = h
const TASKS = 12

const now = new Date()
const daysAgo = (count: number) => new Date(now.getTime() - count * DAY_MS)

async function send(key: string, events: object[], when = now): Promise<void> {
  const { status } = await api('POST', '/activity/report/batch', { token: key, body: { events }, now: when })
  expect(status).toBe(201)
}

/** Tasks of an agent. */
function tasks(reg: string, completed: number, failed = 0): object[] {
  return Array.from({ length: completed + failed }, (_, n) => ({
    reg,
    event_type: n < completed ? 'task_completed' : 'task_failed',
    metadata: { quality: 0.95, response_ms: 900 },
  }))
}

/** Agents with a record of an established platform: `work` completed and failed tasks on each of the last days. */
async function attested(...work: [completed: number, failed?: number][]) {
  const made = await attestedAgent(h, { now: daysAgo(work.length) })
  for (const [nth, [completed, failed]] of work.entries())
    await send(made.key, tasks(made.agent.reg, completed, failed), daysAgo(work.length - 1 - nth))
  return made
}

const goodDays = (days: number) => Array.from({ length: days }, (): [number] => [TASKS * 2])

/** A new agent in each standing; returns its number. */
const MAKE: Record<Standing, () => Promise<string>> = {
  async suspended() {
    const { agent, operator } = await attested(...goodDays(14))
    await h.suspend(operator)
    return agent.reg
  },
  async deactivated() {
    const { agent, operator } = await attested(...goodDays(14))
    const body = { status: 'deactivated' }
    expect((await api('PATCH', `/agents/${agent.reg}`, { token: operator.token, body })).status).toBe(200)
    return agent.reg
  },
  async critical() {
    const { agent, key } = await attested(...goodDays(14))
    await send(key, [{ reg: agent.reg, event_type: 'incident', severity: 'critical' }])
    return agent.reg
  },
  async unrated() {
    const { reg } = await h.newAgent(await h.newOperator())
    return reg
  },
  poor: async () => (await attested([10, 40])).agent.reg,
  async self_reported() {
    const { reg, key } = await h.newReporter()
    await send(key, tasks(reg, TASKS))
    return reg
  },
  mixed: async () => (await attested([TASKS, 4])).agent.reg,
  attested: async () => (await attested(...goodDays(5))).agent.reg,
  established: async () => (await attested(...goodDays(14))).agent.reg,
}

let reader: string

beforeAll(async () => {
  reader = (await h.newKey(await h.newOperator(), ['read'])).key
})

/** What the command line's MCP server says about an agent. */
async function viaMcp(cli: Cli, reg: string): Promise<Body> {
  const mcp = new Client({ name: 'test', version: '1.0.0' })
  await mcp.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli.main, 'mcp'], env: cli.env }),
  )
  const called: Body = await mcp.callTool({ name: 'verify_agent', arguments: { reg } })
  await mcp.close()
  return called.structuredContent
}

/** The standing of an agent in each place that shows it. */
async function shownOf(reg: string): Promise<Record<string, Standing>> {
  const read = async (path: string): Promise<Body> => (await api('GET', path, { token: reader })).body
  const { keys } = (await (await fetch(`${base_url}/.well-known/jwks.json`)).json()) as { keys: object[] }
  const { token } = await read(`/verify/${reg}/token`)
  const stated = await verifyToken(token, { issuer: base_url, keys: { keys } })
  await using cli = await newCli(base_url) // each has its own address, and so its own rate limit
  const run = await cli.run('verify', reg)
  return {
    verify: (await read(`/verify/${reg}`)).standing,
    full: (await read(`/verify/${reg}/full`)).standing,
    token: stated.verification?.standing as Standing,
    package: (await untilVerified(h, reg)).standing as Standing,
    cli: /^Standing: (\w+)$/m.exec(run.out)?.[1] as Standing,
    cli_json: jsonOf(await cli.run('verify', reg, '--json')).standing,
    mcp: (await viaMcp(cli, reg)).standing,
  }
}

it.each(STANDINGS)('every place shows the same standing: %s', async (standing) => {
  const reg = await MAKE[standing]()
  // Before the snapshot it is computed from the rows, after it from what was stored.
  expect((await api('GET', `/verify/${reg}`)).body.standing).toBe(standing)
  await untilVerified(h, reg)
  const shown = await shownOf(reg)
  expect(shown).toEqual(Object.fromEntries(Object.keys(shown).map((place) => [place, standing])))
})

it('a resolved critical incident ends with its risk, an open one does not', async () => {
  const { agent, operator, key } = await attestedAgent(h, { now: daysAgo(40) })
  await send(key, [{ reg: agent.reg, event_type: 'incident', severity: 'critical' }], daysAgo(31))
  const standing = async () => (await api('GET', `/verify/${agent.reg}`)).body.standing
  expect(await standing()).toBe('critical')
  const { data } = (await api('GET', `/agents/${agent.reg}/incidents`)).body
  const path = `/incidents/${data[0].incident_id}/resolve`
  const resolved = await api('POST', path, {
    token: operator.token,
    body: { resolution: 'fixed' },
    now: daysAgo(30),
  })
  expect(resolved.status).toBe(200)
  expect(await standing()).toBe('unrated')
})
