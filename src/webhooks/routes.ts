import { Receiver } from '@upstash/qstash'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { connect } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { relay } from './relay.ts'
import { clearPublished } from './store.ts'

const STEP_DEADLINE_MS = 5_000
const BODY_MAX_BYTES = 64 * 1024
const CLOCK_TOLERANCE_SECONDS = 5 // our clock may be a little behind the one that signed

const message = z.object({ delivery_id: z.uuid(), attempt: z.int().min(1).max(5) })

/** What QStash calls. No rate-limit headers here: QStash reads `X-RateLimit-Reset` as a retry hint. */
export const internalRoutes = new Hono<App>()
  .use(
    '/qstash/*',
    bodyLimit({
      maxSize: BODY_MAX_BYTES,
      onError: () => {
        throw new ApiError('PAYLOAD_TOO_LARGE', `body: at most ${BODY_MAX_BYTES} bytes`)
      },
    }),
  )
  .post('/qstash/deliver', async (c) => {
    const asked = parse(message, await verifiedBody(c, '/internal/qstash/deliver'))
    const { env, now } = c.var
    const result = await relay(env, () => connect(env, AbortSignal.timeout(STEP_DEADLINE_MS)), asked, now)
    if (result.done) return c.json({ done: true })
    return c.json({ done: false }, 503, { 'Retry-After': String(result.retryAfterSeconds) })
  })
  .post('/qstash/failed', async (c) => {
    const failure = parse(
      z.object({ sourceBody: z.base64() }),
      await verifiedBody(c, '/internal/qstash/failed'),
    )
    const { delivery_id, attempt } = parse(message, atob(failure.sourceBody))
    await clearPublished(c.get('db'), delivery_id, attempt)
    return c.json({ done: true })
  })

/** The raw body of a request that QStash signed for this very URL. */
async function verifiedBody(c: Ctx, path: string): Promise<string> {
  const { env } = c.var
  const receiver = new Receiver({
    currentSigningKey: env.QSTASH_CURRENT_SIGNING_KEY,
    nextSigningKey: env.QSTASH_NEXT_SIGNING_KEY,
    devMode: false,
  })
  const body = await c.req.text()
  const signature = c.req.header('upstash-signature') ?? ''
  const url = `${env.BASE_URL}${path}`
  const genuine = await receiver
    .verify({ body, signature, url, clockTolerance: CLOCK_TOLERANCE_SECONDS })
    .catch(() => false)
  if (!genuine) throw new ApiError('UNAUTHORIZED', 'Upstash-Signature: does not match')
  return body
}

function parse<T>(schema: z.ZodType<T>, text: string): T {
  const result = z.preprocess(parseJson, schema).safeParse(text)
  if (!result.success) throw new ApiError('VALIDATION_ERROR', 'body: not a message of ours')
  return result.data as T
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
