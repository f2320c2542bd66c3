import { Hono } from 'hono'
import * as z from 'zod'
import { parseMessage, signedMessage } from '../../api/internal.ts'
import { connect } from '../../db/client.ts'
import type { App } from '../../http/context.ts'
import { clearPublished } from '../outbox/store.ts'
import { ATTEMPTS_MAX } from '../schedule.ts'
import { relay } from './relay.ts'

const STEP_DEADLINE_MS = 5_000

const message = z.object({
  delivery_id: z.uuid(),
  attempt: z.int().min(1).max(ATTEMPTS_MAX),
  host: z.string().nullable(),
})

/** The endpoints that QStash calls. No rate-limit headers here: QStash reads `X-RateLimit-Reset` as a retry hint. */
export const relayRoutes = new Hono<App>()
  .post('/qstash/deliver', async (c) => {
    const sent = await signedMessage(c, '/internal/qstash/deliver', message)
    const { env, now } = c.var
    const dbFor = () => connect(env, AbortSignal.timeout(STEP_DEADLINE_MS))
    const retrySeconds = await relay({ env, dbFor, message: sent, now })
    if (retrySeconds === null) return c.json({ done: true })
    return c.json({ done: false }, 503, { 'Retry-After': String(retrySeconds) })
  })
  .post('/qstash/failed', async (c) => {
    const failure = z.object({ sourceBody: z.base64() })
    const { sourceBody } = await signedMessage(c, '/internal/qstash/failed', failure)
    const { delivery_id, attempt } = parseMessage(message, atob(sourceBody))
    await clearPublished(c.get('db'), delivery_id, attempt)
    return c.json({ done: true })
  })
