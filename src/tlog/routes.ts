import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { authorize } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { keptFor } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { logPath } from '../lib/log-path.ts'
import { formatProof } from '../transparency/proof-text.ts'
import { parseTilePath } from '../transparency/tiles.ts'
import { toInfo } from './info.ts'
import { findBundle, findCheckpoint, findPast, findProof, findTile } from './serve-store.ts'
import { logSettings } from './settings.ts'

const YEAR_SECONDS = 31_536_000
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' }
const BYTES = { 'Content-Type': 'application/octet-stream' }
const LOG = /^\/log(?:\/[1-9]\d*(?=\/))?/
const INDEX = /^(?:0|[1-9]\d{0,14})$/

/** The log in the layout of C2SP tlog-tiles, up to the newest signed head. */
const served = new Hono<App>()
  .get('/checkpoint', keptFor(5), async (c) => {
    const checkpoint = await findCheckpoint(c.get('db'), c.get('env').LOG_ORIGIN)
    if (checkpoint === null) throw notThere('the log has no signed head yet')
    return c.body(checkpoint, 200, TEXT)
  })
  .get('/tile/*', keptFor(YEAR_SECONDS, true), async (c) => {
    const tile = parseTilePath(c.req.path.slice(c.req.path.indexOf('/tile/') + 1))
    if (!tile) throw notThere('the path is not a valid tile path; see https://c2sp.org/tlog-tiles')
    const find = tile.level === 'entries' ? findBundle : findTile
    const bytes = await find(c.get('db'), c.get('env').LOG_ORIGIN, tile)
    if (!bytes) throw notThere('this tile is not covered by the newest signed head of the log')
    return c.body(bytes, 200, BYTES)
  })
  .get('/proof/:index', keptFor(10), async (c) => {
    const index = c.req.param('index') ?? ''
    if (!INDEX.test(index))
      throw new ApiError('VALIDATION_ERROR', [['index', 'must be an integer of at least 0']])
    const proof = await findProof(c.get('db'), c.get('env').LOG_ORIGIN, Number(index))
    if (!proof) throw notThere(`leaf ${index} is not covered by the newest signed head of the log`)
    return c.body(formatProof(proof), 200, TEXT)
  })

/** The log for verifiers; `info.json` states its current and previous origins. */
export const logRoutes = new Hono<App>()
  .use(publicCors(), authorize({ by: 'address', limit: 'log' }))
  .get('/info.json', keptFor(300), async (c) => {
    const settings = await logSettings(c.get('env'))
    if (!settings) throw off()
    return c.json(toInfo(settings, await findPast(c.get('db'), settings.origin)))
  })
  .use(onCurrentPath())
  .route('/', served)
  .route('/:life{[1-9]\\d*}', served)

function onCurrentPath() {
  return createMiddleware<App>(async function onCurrentPath(c: Ctx, next) {
    const { LOG_KEY, LOG_ORIGIN } = c.get('env')
    if (!LOG_KEY) throw off()
    const path = logPath(LOG_ORIGIN)
    if (LOG.exec(c.req.path)?.[0] !== path) throw notThere(`the log is served under ${path}`)
    await next()
  })
}

function off(): ApiError {
  return notThere('this registry has no transparency log')
}

function notThere(message: string): ApiError {
  return new ApiError('NOT_FOUND', message)
}
