import { Hono } from 'hono'
import { tagged } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import type { RateLimit } from '../http/limits.ts'
import { countAddress, isOver } from '../http/ratelimit.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { describeError, log } from '../lib/log.ts'
import { utcDay } from '../lib/time.ts'
import { readRows } from '../trust/inputs.ts'
import { scoreAgent, toDecimal } from '../trust/score.ts'
import { inCapitals } from './agent-number.ts'
import { type BadgeData, findBadge } from './agent-store.ts'
import { type Badge, badgeSvg, COLORS, labelOf } from './badge-svg.ts'

const KEPT_SECONDS = 300
const UNAVAILABLE_SECONDS = 60

const NOT_REGISTERED = { message: 'not registered', color: COLORS.grey }
const UNAVAILABLE = { message: 'unavailable', color: COLORS.grey }

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
  if (!REG_PATTERN.test(reg) || !checkMatches(reg)) return NOT_REGISTERED
  const found = await findBadge(c.get('db'), reg, utcDay(c.get('now')()))
  return found ? describe(found) : NOT_REGISTERED
}

function describe({ status, operator_status, today, rows, open_outages }: BadgeData): Omit<Badge, 'label'> {
  if (operator_status === 'suspended') return { message: 'operator suspended', color: COLORS.red }
  if (status === 'deactivated') return { message: 'deactivated', color: COLORS.grey }
  const score = scoreAgent(readRows(rows ?? ''), today, open_outages)
  if (!score) return { message: 'no score yet', color: COLORS.grey }
  const { overall, provisional } = score
  return {
    message: `${toDecimal(overall)}${provisional ? ' provisional' : ' / 100'}`,
    color: colorOf(overall),
  }
}

/** Colors change at the webhook thresholds 60 and 80, and at 50, the score without any evidence. */
function colorOf(overall: number): string {
  if (overall >= 80) return COLORS.green
  if (overall >= 60) return COLORS.olive
  return overall >= 50 ? COLORS.amber : COLORS.red
}
