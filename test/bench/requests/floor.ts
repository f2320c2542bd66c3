import { Ratelimit } from '@upstash/ratelimit'
import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import { connect, type Db } from '../../../src/db/client.ts'
import { type Env, parseEnv } from '../../../src/env.ts'
import { connectRedis } from '../../../src/http/redis.ts'

const TIMEOUT_MS = 5_000

const database = (env: Env): Db => connect(env, AbortSignal.timeout(TIMEOUT_MS))
const row = (db: Db) => db.execute(sql`select id, name from bench_floor where id = 1`)

let limiter: Ratelimit | undefined

function count(env: Env, id: string) {
  limiter ??= new Ratelimit({
    redis: connectRedis(env),
    limiter: Ratelimit.fixedWindow(1e9, '60 s'),
    prefix: 'floor',
    ephemeralCache: false,
    analytics: false,
    enableTelemetry: false,
    timeout: 0,
  })
  return limiter.limit(id)
}

/** The least that a Worker does with the same network steps: what ours takes beyond it is our own. */
const floor = new Hono<{ Bindings: Record<string, unknown> }>()
  .get('/health', (c) => c.json({ status: 'ok' }))
  .get('/public', async (c) => {
    const env = parseEnv(c.env)
    const [, found] = await Promise.all([
      count(env, c.req.header('cf-connecting-ip') ?? ''),
      row(database(env)),
    ])
    return c.json(found.rows[0])
  })
  .get('/authenticated', async (c) => {
    const env = parseEnv(c.env)
    const db = database(env)
    await Promise.all([count(env, c.req.header('authorization') ?? ''), row(db)])
    return c.json((await row(db)).rows[0])
  })
  .post('/write', async (c) => {
    const env = parseEnv(c.env)
    const db = database(env)
    const { name } = await c.req.json<{ name: string }>()
    await Promise.all([count(env, c.req.header('authorization') ?? ''), row(db)])
    const stored = await db.execute(sql`insert into bench_floor (name) values (${name}) returning id`)
    return c.json(stored.rows[0], 201)
  })

// biome-ignore lint/style/noDefaultExport: the form in which the runtime takes a Worker
export default floor
