import { Ratelimit } from '@upstash/ratelimit'
import { Hono } from 'hono'
import { appendEvents } from '../../../src/activity/append-store.ts'
import { findAgent } from '../../../src/agents/store.ts'
import { findKey } from '../../../src/credentials/store.ts'
import { readToken } from '../../../src/credentials/token.ts'
import { connect, type Db } from '../../../src/db/client.ts'
import { FIRST_TIER } from '../../../src/db/tiers.ts'
import { type Env, parseEnv } from '../../../src/env.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { utcDay } from '../../../src/lib/time.ts'
import { sumUp } from '../../../src/operators/store.ts'
import { connectRedis } from '../../../src/services/redis.ts'
import { findBasis } from '../../../src/trust/store.ts'
import { findVerified } from '../../../src/verify/store.ts'

const TIMEOUT_MS = 5_000

const database = (env: Env): Db => connect(env, AbortSignal.timeout(TIMEOUT_MS))

let limiter: Ratelimit | undefined

function count(env: Env, id: string) {
  limiter ??= new Ratelimit({
    redis: connectRedis(env),
    limiter: Ratelimit.fixedWindow(1e9, '60 s'),
    prefix: 'statements',
    ephemeralCache: false,
    analytics: false,
    enableTelemetry: false,
    timeout: 0,
  })
  return limiter.limit(id)
}

type Bindings = Record<string, unknown>

/** The first step of an authenticated request, with the statement of the service. */
async function caller(bindings: Bindings, authorization = '') {
  const env = parseEnv(bindings)
  const db = database(env)
  const presented = await readToken(authorization.slice('Bearer '.length), env.CREDENTIALS_KEY)
  const prefix = presented.ok ? presented.token.id : ''
  const [, key] = await Promise.all([count(env, authorization), findKey(db, prefix, new Date())])
  return { db, operator_id: key?.operator_id ?? '', tier: key?.tier ?? FIRST_TIER }
}

/** Counts each request in Redis, and sends only the statements of the service. */
const statements = new Hono<{ Bindings: Bindings }>()
  .get('/agents/:reg', async (c) => {
    const env = parseEnv(c.env)
    const found = findAgent(database(env), c.req.param('reg'), utcDay(new Date()))
    const [, card] = await Promise.all([count(env, c.req.header('cf-connecting-ip') ?? ''), found])
    return c.json(card)
  })
  .get('/verify/:reg', async (c) => {
    const env = parseEnv(c.env)
    const found = findVerified(database(env), c.req.param('reg'), utcDay(new Date()))
    const [, verified] = await Promise.all([count(env, c.req.header('cf-connecting-ip') ?? ''), found])
    return c.json(verified)
  })
  .get('/trust-score/:reg', async (c) => {
    const env = parseEnv(c.env)
    const found = findBasis(database(env), c.req.param('reg'), utcDay(new Date()))
    const [, basis] = await Promise.all([count(env, c.req.header('cf-connecting-ip') ?? ''), found])
    return c.json(basis)
  })
  .get('/full/:reg', async (c) => {
    const { db } = await caller(c.env, c.req.header('authorization'))
    return c.json(await findAgent(db, c.req.param('reg'), utcDay(new Date())))
  })
  .get('/dashboard', async (c) => {
    const { db, operator_id } = await caller(c.env, c.req.header('authorization'))
    return c.json(await sumUp(db, operator_id, new Date()))
  })
  .post('/report', async (c) => {
    const input = await c.req.json()
    const { db, operator_id, tier } = await caller(c.env, c.req.header('authorization'))
    const now = new Date()
    const id = uuidv7(now)
    const event = { id, input: { ...input, severity: 'info' }, incident: null }
    const batch = { first_id: id, events: [event] }
    const { facts } = await appendEvents(db, { operator_id, platform_id: null, tier }, batch, null, now)
    return c.json(facts, 201)
  })

// biome-ignore lint/style/noDefaultExport: the form in which the runtime takes a Worker
export default new Hono<{ Bindings: Bindings }>()
  .route('/statements', statements)
  .get('/health', (c) => c.json({ status: 'ok' }))
