import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { fromFetch, serve } from '../../../local/stand-ins/serve.ts'
import { utcDay } from '../../../src/lib/time.ts'
import { encodeBase64, joinBytes } from '../../../src/transparency/bytes.ts'
import { parseTilePath } from '../../../src/transparency/tiles.ts'
import {
  importTokenKeys,
  makeTokenKey,
  signToken,
  type TokenKey,
  toJwks,
} from '../../../src/transparency/token.ts'
import { hashInputs } from '../../../src/trust/inputs.ts'
import {
  ALGORITHM_VERSION,
  scoreAgent,
  type TrustScore,
  toDecimal,
  toShare,
} from '../../../src/trust/score.ts'
import { recordStanding, standingOf } from '../../../src/trust/standing.ts'
import { windowOf } from '../../../src/trust/window.ts'
import { countersOf, type StoredAgent } from './agent.ts'
import { levelOf, OPERATOR, openingOf, type TestLog } from './log.ts'

const PUBLIC_EVENTS = 50
const PAGE = 100

export const NOT_FOUND = { error: { code: 'NOT_FOUND', message: 'there is nothing', status: 404 } }
/** The key that signs tokens. */
export const TOKEN_KEY = makeTokenKey()
  .then((key) => importTokenKeys([JSON.parse(key)]))
  .then(([key]) => key as TokenKey)
/** When each redacted event was redacted. */
const REDACTED_AT = '2026-01-02T03:04:05.678Z'
export const OWNER_KEY = 'reg_live_of_the_owner'

/** Changes a response before it is sent; null leaves it unchanged. */
type Tamper = (path: string, response: Response) => Response | Promise<Response> | null

/** Changes the JSON of paths that contain a text. */
export function inJson(
  part: string,
  // biome-ignore lint/suspicious/noExplicitAny: whatever the path returns
  change: (body: any) => unknown,
): Tamper {
  return (path, response) =>
    path.includes(part)
      ? response.json().then(async (body) => Response.json((await change(body)) ?? body))
      : null
}

/** Hides the entries whose leaves contain one of these texts. */
export const hideLeaves = (...texts: string[]) =>
  inJson('/log-entries', ({ data, ...rest }) => ({
    ...rest,
    data: data.filter(({ leaf }: { leaf: string }) => !texts.some((text) => leaf.includes(text))),
  }))

/** Serves a log and its agents like a service, with their state at the time of each request. */
export async function serveTestLog(log: TestLog) {
  const served = { log, tamper: (() => null) as Tamper, requested: [] as string[] }
  const app = new Hono()
  app.notFound((c) => c.json(NOT_FOUND, 404))
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
  app.get('/api/v1/:kind{operators|platforms}/:subject/log-entries', (c) => states(c, served.log))
  app.get('/api/v1/agents/:reg/activity', (c) => activity(c, served.log))
  app.get('/api/v1/agents/:reg/incidents', async (c) => incidents(c, served.log))
  app.get('/api/v1/agents/:reg/keys', (c) => c.json({ data: keysOf(agentOf(c, served.log), served.log) }))
  app.get('/api/v1/agents/:reg/trust-score', (c) => shownScore(c, served.log))
  app.get('/api/v1/agents/:reg/trust-score/inputs', async (c) => inputs(c, served.log))
  app.get('/api/v1/verify/:reg/token', async (c) => token(c, served.log))
  app.get('/.well-known/jwks.json', async (c) => c.json(toJwks([await TOKEN_KEY])))
  app.get('/api/v1/agents/:reg/trust-score/history', (c) => {
    const { history } = agentOf(c, served.log)
    return c.json({ data: history.toReversed() })
  })
  app.get('/api/v1/agents/:reg', (c) => {
    const agent = agentOf(c, served.log)
    return c.json({ ...agent.profile, ...countersOf(agent, utcDay(new Date())) })
  })
  app.get('/api/v1/verify/:reg/full', (c) => c.json(countersOf(agentOf(c, served.log), utcDay(new Date()))))
  const { url, stop } = await serve('log', fromFetch(app.fetch))
  return Object.assign(served, { url, stop })
}

function infoOf({ origin, vkey, head, leaves, previous }: TestLog) {
  const announced = (kind: 'restore' | 'key') =>
    leaves.flatMap(({ leaf, bytes }, index) =>
      leaf?.kind === kind ? [{ index, leaf: new TextDecoder().decode(bytes) }] : [],
    )
  const [restores, keys] = [announced('restore'), announced('key')]
  const rest = { witnesses: [], mirrors: [], previous_origins: previous }
  return { origin, vkeys: [vkey], merge_delay_seconds: 1, size: head.size, keys, restores, ...rest }
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
  const { cursor = '', limit = String(PAGE), after = '0' } = c.req.query()
  const agent = agentOf(c, log)
  const events = agent.events.at(-1)?.seq ?? 0
  const isOwner = ownsIt(c)
  const found = log.leaves.flatMap(({ leaf, bytes }, index) =>
    leaf &&
    'reg' in leaf &&
    leaf.reg === reg &&
    index > Number(cursor || -1) &&
    !(leaf.kind === 'event' && leaf.seq <= Number(after))
      ? [{ index, leaf, bytes }]
      : [],
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

function states(c: Context, log: TestLog): Response {
  const subject = c.req.param('subject')
  const data = log.leaves.flatMap(({ leaf, bytes }, index) =>
    (leaf?.kind === 'operator' && leaf.operator === subject) ||
    (leaf?.kind === 'platform' && leaf.platform === subject)
      ? [{ index, leaf: new TextDecoder().decode(bytes) }]
      : [],
  )
  return c.json({ data, next_cursor: null })
}

function activity(c: Context, log: TestLog): Response {
  const { events } = agentOf(c, log)
  const { cursor } = c.req.query()
  const end = cursor ? Number(cursor) : events.length
  const page = events.slice(Math.max(0, end - PUBLIC_EVENTS), end).toReversed()
  const data = page.map(({ seq: _, redacted, ...event }) =>
    redacted ? { ...event, metadata: {}, redacted: { at: REDACTED_AT, reason: 'law' } } : event,
  )
  const isWhole = ownsIt(c) && cursor !== undefined
  const left = end - page.length
  return c.json({ data, ...(isWhole && { next_cursor: left > 0 ? String(left) : null }) })
}

async function inputs(c: Context, log: TestLog): Promise<Response> {
  const { rows: all, profile } = agentOf(c, log)
  const today = c.req.query('date') ?? utcDay(new Date())
  const { rows } = windowOf(all, today)
  const body = {
    reg: profile.reg,
    today,
    algorithm_version: ALGORITHM_VERSION,
    open_outages: 0,
    rows,
  }
  const score = scoreAgent(rows, today)
  return c.json({
    ...body,
    sha256: await hashInputs(rows),
    score: score && toNumbers(score),
  })
}

function toNumbers({ computation_window_days, algorithm_version, confidence, ...numbers }: TrustScore) {
  return { ...numbers, confidence: toShare(confidence) }
}

function shownScore(c: Context, log: TestLog): Response {
  const { rows, profile } = agentOf(c, log)
  const score = scoreAgent(rows, utcDay(new Date()))
  if (!score) return c.json({ reg: profile.reg, status: 'insufficient_data' })
  const { provisional, confidence, ...shown } = score
  return c.json({ reg: profile.reg, ...shown, computed_at: new Date().toISOString() })
}

async function token(c: Context, log: TestLog): Promise<Response> {
  return c.json(await signStatement(new URL(c.req.url).origin, statementOf(agentOf(c, log), log)))
}

/** What a token states about an agent: the verification, and the newest head of the log. */
export function statementOf({ profile, rows }: StoredAgent, { origin, head }: TestLog) {
  const { reg, name, status } = profile
  const score = scoreAgent(rows, utcDay(new Date()))
  const verification = {
    reg,
    registered: true,
    active: status === 'active',
    name,
    class: profile.class,
    ownership_status: 'unverified',
    domain: null,
    operator_id: OPERATOR,
    operator_name: 'Ada',
    operator_name_verified: false,
    operator_kyc_status: 'unverified',
    operator_status: 'active',
    standing: standingOf({
      operator_status: 'active',
      status: status === 'active' ? 'active' : 'deactivated',
      open_critical: false,
      record: recordStanding(windowOf(rows, utcDay(new Date())), score),
    }),
    trust_score_overall: score && toDecimal(score.overall),
    checked_at: '',
  }
  return { verification, log: { origin, size: head.size, root: encodeBase64(head.root) } }
}

/** Signs a token of the service. */
export async function signStatement(
  issuer: string,
  { verification, log }: { verification: object; log: ReturnType<typeof statementOf>['log'] | null },
) {
  const stated = verification as { reg: string; checked_at: string }
  return signToken({ issuer, verification: stated, log }, await TOKEN_KEY, new Date())
}

/** The incidents of the agent, as their newest leaves state. */
async function incidents(c: Context, log: TestLog): Promise<Response> {
  const { profile } = agentOf(c, log)
  const newest = new Map(
    log.leaves.flatMap(({ leaf, opening }) =>
      leaf?.kind === 'incident' && leaf.reg === profile.reg && opening
        ? [
            [
              leaf.id,
              { ...JSON.parse(opening.facts), ...JSON.parse(opening.texts ?? '{}'), texts: undefined },
            ],
          ]
        : [],
    ),
  )
  return c.json({ data: [...newest.values()] })
}

/** The keys of the agent, as their leaves state. */
function keysOf({ profile: { reg } }: StoredAgent, { leaves }: TestLog) {
  const found = leaves.flatMap(({ leaf }, index) =>
    leaf?.kind === 'agent_key' && leaf.reg === reg ? [{ ...leaf, index }] : [],
  )
  return found
    .filter(({ rev }) => rev === 1)
    .map(({ kid, key: { x }, at: added_at, until: expires_at, index: added }) => {
      const end = found.find((one) => one.kid === kid && one.rev === 2)
      const status = end ? 'revoked' : 'active'
      const log = { added, revoked: end?.index ?? null }
      const ended = { revoked_at: end?.at ?? null, reason: end?.reason ?? null }
      return { kid, reg, alg: 'ed25519', x, status, added_at, expires_at, ...ended, log }
    })
}

function agentOf(c: Context, { agents }: TestLog) {
  const agent = agents.get(c.req.param('reg') ?? '')
  if (agent) return agent
  throw new HTTPException(404, { res: Response.json(NOT_FOUND, { status: 404 }) })
}

function ownsIt(c: Context): boolean {
  return c.req.header('Authorization') === `Bearer ${OWNER_KEY}`
}
