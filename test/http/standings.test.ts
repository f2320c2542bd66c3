import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it } from 'vitest'
import { verifyToken } from '../../packages/verify/index.ts'
import { FOUND_STANDINGS } from '../../src/agents/search-store.ts'
import { STANDINGS, type Standing } from '../../src/db/enums.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { STANDING_WORDS } from '../../src/trust/standing.ts'
import { attestedAgent } from '../support/attested.ts'
import { type Cli, jsonOf, newCli } from '../support/cli.ts'
import { openConsole } from '../support/console.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { untilVerified } from '../support/logged.ts'
import { attributeOf, pageReader, type ReadPage } from '../support/pages.ts'

const h = shared()
const { api, base_url } = h
const readPage = pageReader(h)
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

const worked = async (...work: Parameters<typeof attested>) => {
  const { agent, operator: owner } = await attested(...work)
  return { reg: agent.reg as string, owner }
}

const goodDays = (days: number) => Array.from({ length: days }, (): [number] => [TASKS * 2])

/** A new agent in each standing. */
const MAKE: Record<Standing, () => Promise<{ reg: string; owner: Operator }>> = {
  async suspended() {
    const { agent, operator } = await attested(...goodDays(14))
    await h.suspend(operator)
    return { reg: agent.reg, owner: operator }
  },
  async deactivated() {
    const { agent, operator } = await attested(...goodDays(14))
    const body = { status: 'deactivated' }
    expect((await api('PATCH', `/agents/${agent.reg}`, { token: operator.token, body })).status).toBe(200)
    return { reg: agent.reg, owner: operator }
  },
  async critical() {
    const { agent, key, operator: owner } = await attested(...goodDays(14))
    await send(key, [{ reg: agent.reg, event_type: 'incident', severity: 'critical' }])
    return { reg: agent.reg, owner }
  },
  async unrated() {
    const owner = await h.newOperator()
    return { reg: (await h.newAgent(owner)).reg, owner }
  },
  poor: () => worked([10, 40]),
  async self_reported() {
    const { reg, key, operator: owner } = await h.newReporter()
    await send(key, tasks(reg, TASKS))
    return { reg, owner }
  },
  mixed: () => worked([TASKS, 4]),
  attested: () => worked(...goodDays(5)),
  established: () => worked(...goodDays(14)),
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

const standingOf = (text: string | undefined) =>
  STANDINGS.find((standing) => text?.toLowerCase().includes(STANDING_WORDS[standing]))

/** The standing that the first element of a class shows in its text. */
const tagged = (html: string) => /is-(\w+)"/.exec(html)?.[1] as Standing | undefined

/** The standing of an agent on each page that shows it. */
async function onPages(
  reg: string,
  owner: Operator,
  standing: Standing,
): Promise<Record<string, Standing | undefined>> {
  const page = await readPage(`/agents/${reg}`)
  const panel = /<div class="standing.*?<\/div>/s.exec(page.html)?.[0] ?? ''
  expect(standingOf(/<b>.*?<\/b>/.exec(panel)?.[0])).toBe(tagged(panel))
  const badge = (await (await fetch(`${base_url}/agents/${reg}/badge.json`)).json()) as { message: string }
  const svg = await readPage(`/agents/${reg}/badge.svg`)
  const cardOf = ({ html }: ReadPage) =>
    html.split('<tr>').find((row) => row.includes(`href="/agents/${reg}"`)) ?? ''
  const operator = cardOf(await readPage(`/operators/${owner.id}`))
  const search = await readPage(
    `/agents?operator=${owner.id}&status=all&${standing === 'suspended' ? 'operator_status=suspended' : ''}`,
  )
  const filter = FOUND_STANDINGS.find((one) => one === standing)
  const found = filter && (await readPage(`/agents?operator=${owner.id}&standing=${filter}`))
  return {
    ...(found && { search_filter: tagged(cardOf(found)) }),
    page: tagged(panel),
    preview: standingOf(attributeOf(page, 'og:description', 'content')?.split(':')[0]),
    preview_picture: /previews\/(\w+)\.png$/.exec(
      attributeOf(page, 'og:image"', 'content') ?? '',
    )?.[1] as Standing,
    badge: standingOf(badge.message),
    badge_address: /badge\.svg\?now=([a-z_]+)-/.exec(page.html)?.[1] as Standing,
    badge_svg: standingOf(/<title>.*?<\/title>/.exec(svg.html)?.[0]),
    card: tagged(operator),
    card_words: standingOf(/is-.*?<\/td>/s.exec(operator)?.[0]),
    search: tagged(cardOf(search)),
  }
}

/** The standing of an agent in the console of its operator. */
async function inConsole(reg: string, owner: Operator) {
  const { get } = await openConsole(h, owner.email)
  const row = (text: string) => text.split('<tr>').find((one) => one.includes(reg)) ?? ''
  return {
    console: tagged((await get(`/console/agents/${reg}`)).text),
    console_list: tagged(row((await get('/console/agents')).text)),
  }
}

/** The standing of an agent in each place that shows it. */
async function shownOf(reg: string): Promise<Record<string, Standing>> {
  const read = async (path: string): Promise<Body> => (await api('GET', path, { token: reader })).body
  const { keys } = (await (await fetch(`${base_url}/.well-known/jwks.json`)).json()) as { keys: object[] }
  const { token } = await read(`/verify/${reg}/token`)
  const stated = await verifyToken(token, { issuer: base_url, keys: { keys } })
  await using cli = await newCli(base_url) // each has its own address, and so its own rate limit
  const [run, asJson, mcp] = await Promise.all([
    cli.run('verify', reg),
    cli.run('verify', reg, '--json'),
    viaMcp(cli, reg),
  ])
  return {
    verify: (await read(`/verify/${reg}`)).standing,
    full: (await read(`/verify/${reg}/full`)).standing,
    token: stated.verification?.standing as Standing,
    cli: /^Standing: (\w+)$/m.exec(run.out)?.[1] as Standing,
    cli_json: jsonOf(asJson).standing,
    mcp: mcp.standing,
  }
}

it.each(STANDINGS)('every place shows the same standing: %s', async (standing) => {
  const { reg, owner } = await MAKE[standing]()
  // Before the snapshot it is computed from the rows, after it from what was stored.
  expect((await api('GET', `/verify/${reg}`)).body.standing).toBe(standing)
  const shown = {
    package: (await untilVerified(h, reg)).standing,
    ...(await shownOf(reg)),
    ...(await onPages(reg, owner, standing)),
    ...(standing === 'suspended' ? {} : await inConsole(reg, owner)),
  }
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
