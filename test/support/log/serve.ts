import { type Context, Hono } from 'hono'
import { fromFetch, serve } from '../../../local/stand-ins/serve.ts'
import { utcDay } from '../../../src/lib/time.ts'
import { joinBytes } from '../../../src/transparency/bytes.ts'
import { parseTilePath } from '../../../src/transparency/tiles.ts'
import { canonicalRows, hashInputs } from '../../../src/trust/inputs.ts'
import { scoreAgent } from '../../../src/trust/score.ts'
import { windowOf } from '../../../src/trust/window.ts'
import { levelOf, openingOf, type TestLog } from './log.ts'

const PUBLIC_EVENTS = 50
const PAGE = 100

export const OWNER_KEY = 'reg_live_of_the_owner'

/** Changes a response before it is sent; null leaves it unchanged. */
export type Tamper = (path: string, response: Response) => Response | Promise<Response> | null

/** Changes the JSON of paths that contain a text. */
export function inJson(
  part: string,
  // biome-ignore lint/suspicious/noExplicitAny: whatever the path returns
  change: (body: any) => unknown,
): Tamper {
  return (path, response) =>
    path.includes(part) ? response.json().then((body) => Response.json(change(body) ?? body)) : null
}

/** Serves a log and its agents like a service, with their state at the time of each request. */
export async function serveTestLog(log: TestLog) {
  const served = { log, tamper: (() => null) as Tamper, requested: [] as string[] }
  const app = new Hono()
  app.use(async (c, next) => {
    served.requested.push(c.req.path)
    await next()
    const { pathname, search } = new URL(c.req.url)
    const changed = await served.tamper(pathname + search, c.res)
    if (changed) c.res = changed
  })
  app.get('/log/info.json', (c) => c.json(infoOf(served.log)))
  for (const path of ['/log', '/log/:life']) {
    app.get(`${path}/checkpoint`, (c) => c.text(served.log.head.note))
    app.get(`${path}/tile/*`, async (c) => tile(c, served.log))
  }
  app.get('/api/v1/agents/:reg/log-entries', async (c) => entries(c, served.log))
  app.get('/api/v1/agents/:reg/activity', (c) => activity(c, served.log))
  app.get('/api/v1/agents/:reg/trust-score/inputs', async (c) => inputs(c, served.log))
  app.get('/api/v1/agents/:reg/trust-score/history', (c) => {
    const { history } = agentOf(c, served.log)
    return c.json({ data: history.toReversed() })
  })
  app.get('/api/v1/agents/:reg', (c) => c.json(agentOf(c, served.log).profile))
  const { url, stop } = await serve('log', fromFetch(app.fetch))
  return Object.assign(served, { url, stop })
}

function infoOf({ origin, vkey, head, leaves, previous }: TestLog) {
  const restores = leaves.flatMap(({ leaf, bytes }, index) =>
    leaf?.kind === 'restore' ? [{ index, leaf: new TextDecoder().decode(bytes) }] : [],
  )
  const rest = { witnesses: [], mirrors: [], previous_origins: previous }
  return { origin, vkeys: [vkey], merge_delay_seconds: 1, size: head.size, restores, ...rest }
}

async function tile(c: Context, log: TestLog): Promise<Response> {
  const requested = parseTilePath(c.req.path.slice(c.req.path.indexOf('/tile/') + 1))
  if (!requested) return c.notFound()
  const start = requested.n * 256
  const pieces =
    requested.level === 'entries'
      ? log.leaves
          .slice(start, Math.min(start + 256, log.head.size))
          .map(({ bytes }) => joinBytes(Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes))
      : (await levelOf(log, requested.level)).slice(start, start + 256)
  if (pieces.length < requested.width) return c.notFound()
  return c.body(joinBytes(...pieces.slice(0, requested.width)))
}

async function entries(c: Context, log: TestLog): Promise<Response> {
  const reg = c.req.param('reg')
  const { cursor = '', limit = String(PAGE) } = c.req.query()
  const agent = agentOf(c, log)
  const events = agent.events.at(-1)?.seq ?? 0
  const isOwner = ownsIt(c)
  const found = log.leaves.flatMap(({ leaf, bytes }, index) =>
    leaf && 'reg' in leaf && leaf.reg === reg && index > Number(cursor || -1) ? [{ index, leaf, bytes }] : [],
  )
  const page = found.slice(0, Math.min(Number(limit), isOwner ? 1_000 : PAGE))
  const data = await Promise.all(
    page.map(async ({ index, leaf, bytes }) => {
      const isPublic =
        (leaf.kind === 'event' && leaf.seq > events - PUBLIC_EVENTS) ||
        (leaf.kind === 'agent' && leaf.rev === agent.revision) ||
        leaf.kind === 'incident'
      const opening = isOwner || isPublic ? await openingOf(log, index) : null
      return { index, leaf: new TextDecoder().decode(bytes), ...(opening && { opening }) }
    }),
  )
  return c.json({ data, next_cursor: found.length > page.length ? String(page.at(-1)?.index) : null })
}

function activity(c: Context, log: TestLog): Response {
  const { events } = agentOf(c, log)
  const { cursor } = c.req.query()
  const end = cursor ? Number(cursor) : events.length
  const page = events.slice(Math.max(0, end - PUBLIC_EVENTS), end).toReversed()
  const data = page.map(({ seq: _, redacted, ...event }) =>
    redacted ? { ...event, metadata: {}, redacted: { reason: 'law' } } : event,
  )
  const isWhole = ownsIt(c) && cursor !== undefined
  const left = end - page.length
  return c.json({ data, ...(isWhole && { next_cursor: left > 0 ? String(left) : null }) })
}

async function inputs(c: Context, log: TestLog): Promise<Response> {
  const { rows: all } = agentOf(c, log)
  const today = c.req.query('date') ?? utcDay(new Date())
  const { rows } = windowOf(all, today)
  const body = { today, rows: canonicalRows(rows), sha256: await hashInputs(rows) }
  return c.json({ ...body, score: scoreAgent(rows, today) })
}

function agentOf(c: Context, { agents }: TestLog) {
  const agent = agents.get(c.req.param('reg') ?? '')
  if (!agent) throw new Error('no such agent')
  return agent
}

function ownsIt(c: Context): boolean {
  return c.req.header('Authorization') === `Bearer ${OWNER_KEY}`
}
