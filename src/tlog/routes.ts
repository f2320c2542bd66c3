import { createMiddleware } from 'hono/factory'
import { authorize } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { keepNoErrors } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { part } from '../http/part.ts'
import { formatProof } from '../transparency/proof-text.ts'
import { parseTilePath } from '../transparency/tiles.ts'
import { toInfo } from './info.ts'
import { findBundle, findPast, findProof, findTile } from './serve-store.ts'
import { logSettings } from './settings.ts'
import { findHead } from './store.ts'

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'
/** What is below a signed head never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const INDEX = /^(?:0|[1-9]\d{0,14})$/

/** The log as C2SP's tlog-tiles lays it out, for whoever verifies: whatever stands above the newest signed head is not shown. */
export const logRoutes = part()
  .use(publicCors(), keepNoErrors(), authorize({ by: 'anyone', limit: 'log' }), whenOn())
  .get('/checkpoint', async (c) => {
    const head = await findHead(c.get('db'))
    if (!head) throw notThere('the log has no signed head yet')
    return c.body(head.note + head.cosignatures, 200, keptFor(5, TEXT))
  })
  .get('/tile/*', async (c) => {
    const tile = parseTilePath(c.req.path.slice(c.req.path.indexOf('/tile/') + 1))
    if (!tile) throw notThere('the path names no tile: see https://c2sp.org/tlog-tiles')
    const find = tile.level === 'entries' ? findBundle : findTile
    const bytes = await find(c.get('db'), tile)
    if (!bytes) throw notThere('the log has no such tile below its signed head')
    return c.body(bytes, 200, { 'Content-Type': BYTES, 'Cache-Control': FOR_EVER })
  })
  .get('/proof/:index', async (c) => {
    const index = c.req.param('index')
    if (!INDEX.test(index)) throw new ApiError('VALIDATION_ERROR', 'index: must be a whole number from 0')
    const proof = await findProof(c.get('db'), Number(index))
    if (!proof) throw notThere(`the log has no leaf ${index} below its signed head`)
    return c.body(formatProof(proof), 200, keptFor(10, TEXT))
  })
  .get('/info.json', async (c) => {
    const settings = await logSettings(c.get('env'))
    if (!settings) throw off()
    return c.json(toInfo(settings, await findPast(c.get('db'))), 200, keptFor(300))
  })

function keptFor(seconds: number, type?: string): Record<string, string> {
  return { 'Cache-Control': `public, max-age=${seconds}`, ...(type && { 'Content-Type': type }) }
}

function whenOn() {
  return createMiddleware<App>(async function whenOn(c: Ctx, next) {
    if (!c.get('env').LOG_KEY) throw off()
    await next()
  })
}

function off(): ApiError {
  return notThere('this service keeps no transparency log')
}

function notThere(message: string): ApiError {
  return new ApiError('NOT_FOUND', message)
}
