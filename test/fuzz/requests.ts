import { app } from '../../src/app.ts'
import { BAD_BEARER, foreignRejection, forgedTokens, isExact, OTHER_SCHEMES } from '../support/contract.ts'
import { API, type ApiDocument, type Route } from '../support/document.ts'
import { freshIp } from '../support/harness.ts'
import { accessOf } from '../support/rightful.ts'
import { fuzzedBody } from './bodies.ts'
import { encoded, type Fuzzed } from './fuzzed.ts'
import { headersOf } from './headers.ts'
import { pageRequest } from './pages.ts'
import { publishedRequest } from './published.ts'
import { type Random, randomOf } from './random.ts'
import { ODD_SEGMENTS, oddText, pairsOf, words } from './values.ts'
import type { Role, World } from './world.ts'

/** Segments that `URL` resolves, but workerd does not, so that the route of a request is not known here. */
export const UNRESOLVED = /\/\.|%2e|\\/i
const MANY = 1_000
const VALUES = words('1 2 50 200 2147483648 1e3 2026-11-01 true %zz %ff %00 %0d%0aX-Injected:1')

/** How often each kind of caller makes a request. */
const CALLERS: Record<Exclude<Role, 'leaver'> | 'nobody' | 'forged' | 'no_bearer', number> = {
  session: 30,
  stranger: 10,
  key_all: 12,
  key_read: 4,
  key_write: 4,
  key_report: 4,
  stranger_key: 5,
  platform_key: 5,
  revoked_key: 2,
  expired_key: 2,
  ended_session: 2,
  suspended_session: 2,
  suspended_key: 2,
  nobody: 8,
  forged: 5,
  no_bearer: 3,
}

/** Routes that are neither in the document nor pages. */
const OUTSIDE = app.routes.filter(
  ({ method, path }) => method !== 'ALL' && /^\/(internal|health|ready|api\/v1\/openapi)/.test(path),
)
const OTHER_METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST', 'PATCH', 'GET', 'PROPFIND']

/**
 * Request n of a run.
 *
 * @param world the objects that it may name
 */
export function requestOf(document: ApiDocument, world: World, seed: number, n: number): Fuzzed {
  const random = randomOf(seed, n)
  if (random.chance(0.03)) return outside(document, random, n)
  if (random.chance(0.08)) return publishedRequest(document, world, random, n)
  if (random.chance(0.12)) return pageRequest(document, world, random, n)
  const route = random.pick(document.routes)
  const caller = random.chance(0.55) ? admittedCaller(route, random) : random.weighted(CALLERS)
  const isForeign = random.chance(0.2) !== caller.startsWith('stranger')
  const target = world.targetOf(route, isForeign)
  const path = random.chance(0.15) ? withOddSegment(route, target.path, random) : target.path
  const query = random.chance(route.method === 'GET' ? 0.7 : 0.15) ? queryOf(route, random) : ''
  const method = random.chance(0.04) ? random.pick(OTHER_METHODS) : route.method
  const body = route.body && random.chance(0.97) ? fuzzedBody(document, route, target.sample, random) : null
  const stray = !route.body && random.chance(0.05) ? Buffer.from(random.pick(['{}', '{', 'x', ''])) : null
  const headers = headersOf(random)
  const isLeaving = method === 'DELETE' && path.startsWith('/auth/session')
  // Signing out everywhere uses an operator of its own, because it ends all sessions.
  const isLast = isLeaving && path === '/auth/sessions' && ['session', 'stranger'].includes(caller)
  const authorization = authorizationOf(world, isLast ? 'leaver' : caller, isLeaving, random)
  if (authorization !== null) headers.push(['Authorization', authorization])
  if (body?.type != null) headers.push(['Content-Type', body.type])
  const isOwn = method === route.method && !UNRESOLVED.test(path)
  const mayNot = isOwn && isBarred(route, caller, isForeign)
  const cannot = isOwn && route.body !== null && (body === null || body.rejected)
  const reads = isOwn && method === 'GET'
  const isLost = reads && isExact(document, route) && hasUnknown(route, query)
  return {
    n,
    caller,
    method,
    path: API + path + (query && `?${query}`),
    headers,
    body: body?.bytes ?? stray,
    inert: reads || mayNot || cannot,
    rejected: isLost || (method !== 'GET' && (mayNot || cannot)),
  }
}

/** Whether a query has a parameter that the route does not declare. */
function hasUnknown(route: Route, query: string): boolean {
  const known = new Set(route.parameters.map(({ name }) => name))
  return [...new URLSearchParams(query).keys()].some((name) => !known.has(name))
}

function outside(document: ApiDocument, random: Random, n: number): Fuzzed {
  const { method, path } = random.pick(OUTSIDE)
  const headers = headersOf(random)
  for (const name of ['Upstash-Signature', 'Stripe-Signature', 'Authorization']) {
    if (random.chance(0.5))
      headers.push([
        name,
        random.pick(['', 'x', 'eyJhbGciOiJIUzI1NiJ9.e30.x', 't=1,v1=00', 'a.b.c.d', 'x'.repeat(9_000)]),
      ])
  }
  const route = random.pick(document.routes.filter((one) => one.body))
  const body = method === 'POST' ? fuzzedBody(document, route, {}, random).bytes : null
  return { n, caller: 'outside', method, path, headers, body, inert: true, rejected: method === 'POST' }
}

/** A caller that the route admits. */
function admittedCaller(route: Route, random: Random): Role | 'nobody' {
  const { session, key, optional } = accessOf(route)
  const admitted: (Role | 'nobody')[] = [
    ...(session ? (['session', 'session', 'stranger'] as const) : []),
    ...(key ? (['key_all', 'stranger_key'] as const) : []),
    ...(optional ? (['nobody'] as const) : []),
  ]
  return random.pick(admitted)
}

/** Whether a route must reject a caller. */
function isBarred(route: Route, caller: string, isForeign: boolean): boolean {
  const { session, key, permissions, optional } = accessOf(route)
  if (!session && !key) return false
  const given = caller.startsWith('key_') ? caller.slice(4).replace('report', 'activity:report') : ''
  switch (caller) {
    case 'nobody':
    case 'no_bearer':
      return !optional
    case 'session':
    case 'stranger':
      return (
        !session || (!optional && (caller === 'stranger') !== isForeign && foreignRejection(route) !== null)
      )
    case 'key_all':
    case 'stranger_key':
      return (
        !key || (!optional && (caller === 'stranger_key') !== isForeign && foreignRejection(route) !== null)
      )
    case 'key_read':
    case 'key_write':
    case 'key_report':
      return !key || (!optional && !permissions.has(given))
    case 'platform_key':
      return !key
    default:
      return true
  }
}

/** Signing out uses the last session of a caller, because the others are still needed. */
function authorizationOf(
  { cast, keys }: World,
  caller: string,
  isLeaving: boolean,
  random: Random,
): string | null {
  if (caller === 'nobody') return null
  if (caller === 'no_bearer') return random.pick(OTHER_SCHEMES)
  if (caller === 'forged') {
    const forged = forgedTokens(cast.session[0] ?? '', cast.key_all[0] ?? '', keys)
    return random.pick([...BAD_BEARER, ...Object.values(forged).map((token) => `Bearer ${token}`)])
  }
  const tokens = cast[caller as Role]
  const lasting = Math.max(1, tokens.length - 1)
  const token = isLeaving ? tokens.at(-1) : tokens[random.below(MANY) % lasting]
  return `${random.pick(['Bearer', 'bearer', 'BEARER'])} ${token}`
}

/** The path with one parameter replaced by a value that names no object. */
function withOddSegment(route: Route, concrete: string, random: Random): string {
  const parts = concrete.split('/')
  const places = route.path.split('/').flatMap((part, i) => (part.startsWith('{') ? [i] : []))
  if (places.length === 0)
    return random.chance(0.3) ? concrete + random.pick(['/', '//', '/x', '%20', ';a=1']) : concrete
  parts[random.pick(places)] = random.chance(0.5)
    ? random.pick(ODD_SEGMENTS)
    : encoded(oddText(random).slice(0, 3_000)) || '%20'
  return parts.join('/')
}

function queryOf(route: Route, random: Random): string {
  const declared = route.parameters.filter((parameter) => parameter.in === 'query')
  const name = () =>
    declared.length > 0 && random.chance(0.85)
      ? random.pick(declared).name
      : encoded(oddText(random).slice(0, 200))
  const value = () => {
    const known = declared.length > 0 ? random.pick(declared).schema : {}
    return random.chance(0.4)
      ? encoded(oddText(random).slice(0, 4_000))
      : String(random.pick<unknown>([...(known.enum ?? ['a']), ...VALUES]))
  }
  const count = random.pick([1, 1, 1, 2, 3, 5, random.chance(0.05) ? 1_000 : 2])
  return pairsOf(random, count, name, value)
    .join(random.pick(['&', '&', '&&', ';']))
    .slice(0, 12_000)
}

/** The header with a unique address of the caller, unless the request sets its own. */
export const addressOf = ({ headers }: Fuzzed): [string, string][] =>
  headers.some(([name]) => name === 'CF-Connecting-IP') ? [] : [['CF-Connecting-IP', freshIp()]]
