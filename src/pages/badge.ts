import { Hono } from 'hono'
import type { Standing } from '../db/enums.ts'
import { tagged } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import type { RateLimit } from '../http/limits.ts'
import { countAddress, isOver } from '../http/ratelimit.ts'
import { isAgentNumber } from '../lib/agent-number.ts'
import { describeError, log } from '../lib/log.ts'
import { utcDay } from '../lib/time.ts'
import { STANDING_WORDS } from '../trust/standing.ts'
import { inCapitals } from './agent-number.ts'
import { findBadge } from './agent-store.ts'
import { type Badge, badgeSvg, GREY, labelOf } from './badge-svg.ts'
import { LOOKS, shownOf } from './standing.ts'

const KEPT_SECONDS = 300
const UNAVAILABLE_SECONDS = 60

/** A number beside these words would be read instead of them. */
const WITHOUT_SCORE = new Set<Standing>(['suspended', 'deactivated', 'critical'])

const NOT_REGISTERED = { message: 'not registered', color: GREY }
const UNAVAILABLE = { message: 'unavailable', color: GREY }

/** Badges for READMEs. Always with status 200: image proxies do not show other responses. */
export const badgePages = new Hono<App>()
  .get('/agents/:reg/badge.svg', publicCors(), inCapitals('/badge.svg'), async (c) => {
    const badge = await badgeOf(c)
    const isFlat = c.req.query('style') !== 'flat-square'
    return respond(c, badge, String(await badgeSvg(badge, isFlat)), 'image/svg+xml; charset=utf-8')
  })
  .get('/agents/:reg/badge.json', publicCors(), inCapitals('/badge.json'), async (c) => {
    const badge = await badgeOf(c)
    // Source: the endpoint schema of shields.io
    const data = { schemaVersion: 1, ...badge, cacheSeconds: KEPT_SECONDS }
    return respond(c, badge, JSON.stringify(data), 'application/json')
  })

async function respond(c: Ctx, { message }: Badge, text: string, type: string): Promise<Response> {
  const seconds = message === UNAVAILABLE.message ? UNAVAILABLE_SECONDS : KEPT_SECONDS
  const response = await tagged(c, text, text, type)
  response.headers.set('Cache-Control', `public, max-age=${seconds}`)
  response.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
  return response
}

/** The badge of the agent in the path; counts the request in parallel. */
async function badgeOf(c: Ctx): Promise<Badge> {
  const label = labelOf(c.req.query('label'))
  const counted = countAddress(c, 'badge')
  // A request over the limit gets a badge, too: middleware must not turn it into a 429.
  c.set('rateLimit', Promise.resolve(counted).then(shownAsWithin))
  if (!(counted instanceof Promise) && isOver(counted)) return { label, ...UNAVAILABLE }
  try {
    const [rateLimit, content] = await Promise.all([counted, contentOf(c)])
    return { label, ...(isOver(rateLimit) ? UNAVAILABLE : content) }
  } catch (error) {
    log('error', 'badge_failed', {
      request_id: c.get('request_id'),
      path: c.req.path,
      ...describeError(error),
    })
    return { label, ...UNAVAILABLE }
  }
}

function shownAsWithin(rateLimit: RateLimit): RateLimit {
  return isOver(rateLimit) ? { ...rateLimit, used: rateLimit.limit } : rateLimit
}

async function contentOf(c: Ctx): Promise<Omit<Badge, 'label'>> {
  const reg = c.req.param('reg') ?? ''
  if (!isAgentNumber(reg)) return NOT_REGISTERED
  const found = await findBadge(c.get('db'), reg, utcDay(c.get('now')()))
  return found ? describe(found) : NOT_REGISTERED
}

/** The standing, and the score unless the standing warns of more than it. */
function describe(found: Parameters<typeof shownOf>[0]): Omit<Badge, 'label'> {
  const { standing, score } = shownOf(found)
  const word = STANDING_WORDS[standing]
  const message = score === null || WITHOUT_SCORE.has(standing) ? word : `${word} ${score}`
  return { message, color: LOOKS[standing].color }
}
