import { Receiver } from '@upstash/qstash'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod'
import { ApiError } from '../errors.ts'
import { bodyAtMost } from '../http/body.ts'
import type { App, Ctx } from '../http/context.ts'
import { countAddress, enforce, isOver } from '../http/ratelimit.ts'
import { parseJson } from '../lib/json.ts'

const BODY_MAX_BYTES = 256 * 1024
const SIGNATURE_MAX_BYTES = 4 * 1024
const CLOCK_TOLERANCE_SECONDS = 5 // this clock may be slightly behind that of the signer

/** The routes that other services call. The sizes of headers and body are limited before a signature is checked. */
export function internal(...features: readonly Hono<App>[]): Hono<App> {
  const all = new Hono<App>().use(refusals(), signatureLimit(), bodyAtMost(BODY_MAX_BYTES))
  for (const feature of features) all.route('/', feature)
  return all
}

/**
 * Counts refused requests by IP address: over the limit they get 429. Genuine ones are never counted or limited, because
 * the senders share their addresses with others, who can have any request sent from there.
 */
function refusals() {
  return createMiddleware<App>(async function refusals(c, next) {
    await next()
    if (c.res.status !== 401 && c.res.status !== 413) return
    const rateLimit = await countAddress(c, 'refused')
    if (isOver(rateLimit)) c.res = undefined // or Hono would keep its headers
    enforce(rateLimit)
  })
}

function signatureLimit() {
  return createMiddleware<App>(async function signatureLimit(c, next) {
    for (const [name, value] of c.req.raw.headers) {
      if (!name.endsWith('-signature') || value.length <= SIGNATURE_MAX_BYTES) continue
      const title = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
      throw new ApiError('UNAUTHORIZED', `${title}: at most ${SIGNATURE_MAX_BYTES} bytes`)
    }
    await next()
  })
}

/**
 * The message in a request that QStash signed for this URL.
 *
 * @param path the path of the route, which the signature covers
 */
export async function signedMessage<T>(c: Ctx, path: string, schema: z.ZodType<T>): Promise<T> {
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
  if (!genuine) throw new ApiError('UNAUTHORIZED', 'Upstash-Signature: invalid')
  return parseMessage(schema, body)
}

/** Parses a message of this service; 400 for anything else. */
export function parseMessage<T>(schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(parseJson(text))
  if (!result.success)
    throw new ApiError('VALIDATION_ERROR', 'body: must be a message published by this service')
  return result.data
}
