import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { FOUND_STANDINGS } from '../../src/agents/search-store.ts'
import { STANDINGS, type Standing } from '../../src/db/enums.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { STANDING_WORDS } from '../../src/trust/standing.ts'
import { type Cli, jsonOf, newCli } from '../support/cli.ts'
import { openConsole } from '../support/console.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { untilScored, untilVerified } from '../support/logged.ts'
import { attributeOf, pageReader, type ReadPage } from '../support/pages.ts'
import { newScored } from '../support/scored.ts'
import { tokenParts } from '../support/verification-token.ts'

const h = shared()
const { api, base_url } = h
const readPage = pageReader(h)

const now = new Date()
const daysAgo = (count: number) => new Date(now.getTime() - count * DAY_MS)

/** An agent with a record of an established platform: completed and failed tasks on each of the last days. */
async function worked(...days: [completed: number, failed?: number][]) {
  const scored = await newScored(h, { now: daysAgo(days.length) })
  for (const [nth, [completed, failed]] of days.entries())
    await scored.work(daysAgo(days.length - 1 - nth), completed, failed)
  return { ...scored, owner: scored.operator }
}

const goodDays = (days: number) => Array.from({ length: days }, (): [number] => [24])

const bare = async () => {
  const owner = await h.newOperator()
  return { reg: (await h.newAgent(owner)).reg as string, owner }
}

/** A new agent in each standing. */
const MAKE: Record<Standing, () => Promise<{ reg: string; owner: Operator }>> = {
  async suspended() {
    const made = await bare()
    await h.suspend(made.owner)
    return made
  },
  async deactivated() {
    const { reg, owner } = await bare()
    const body = { status: 'deactivated' }
    expect((await api('PATCH', `/agents/${reg}`, { token: owner.token, body })).status).toBe(200)
    return { reg, owner }
  },
  async critical() {
    const made = await worked([12])
    await made.burn(now)
    return made
  },
  unrated: bare,
  poor: () => worked([10, 40]),
  async self_reported() {
    const { reg, key, operator: owner } = await h.newReporter()
    for (let n = 0; n < 12; n++) await h.report(key, reg)
    return { reg, owner }
  },
  mixed: () => worked([12, 4]),
  attested: () => worked(...goodDays(5)),
  established: () => worked(...goodDays(14)),
}

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

/** The standing of an agent in what programs read. */
async function forPrograms(reg: string): Promise<Record<string, Standing>> {
  const reader = (await h.newKey(await h.newOperator(), ['read'])).key
  const read = async (path: string): Promise<Body> => (await api('GET', path, { token: reader })).body
  const { token } = await read(`/verify/${reg}/token`)
  await using cli = await newCli(base_url) // each has its own address, and so its own rate limit
  const [run, asJson, mcp] = await Promise.all([
    cli.run('verify', reg),
    cli.run('verify', reg, '--json'),
    viaMcp(cli, reg),
  ])
  return {
    package: (await untilVerified(h, reg)).standing as Standing,
    full: (await read(`/verify/${reg}/full`)).standing,
    token: tokenParts(token).claims.verification.standing,
    cli: /^Standing: (\w+)$/m.exec(run.out)?.[1] as Standing,
    cli_json: jsonOf(asJson).standing,
    mcp: mcp.standing,
  }
}

it.each(STANDINGS)('every place shows the same standing: %s', async (standing) => {
  const { reg, owner } = await MAKE[standing]()
  const verified = async () => (await api('GET', `/verify/${reg}`)).body.standing
  expect(await verified()).toBe(standing) // computed from the rows
  await untilScored(h, reg)
  const shown = {
    verify: await verified(),
    ...(await onPages(reg, owner, standing)),
    ...(await forPrograms(reg)),
    ...(standing !== 'suspended' && (await inConsole(reg, owner))),
  }
  expect(shown).toEqual(Object.fromEntries(Object.keys(shown).map((place) => [place, standing])))
})

it('a resolved critical incident ends with its risk, an open one does not', async () => {
  const { reg, operator, burn } = await newScored(h, { now: daysAgo(40) })
  await burn(daysAgo(31))
  const standing = async () => (await api('GET', `/verify/${reg}`)).body.standing
  expect(await standing()).toBe('critical')
  const { data } = (await api('GET', `/agents/${reg}/incidents`)).body
  const call = { token: operator.token, body: { resolution: 'fixed' }, now: daysAgo(30) }
  await api('POST', `/incidents/${data[0].incident_id}/resolve`, call)
  expect(await standing()).toBe('unrated')
})
