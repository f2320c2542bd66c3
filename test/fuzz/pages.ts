import { createHmac } from 'node:crypto'
import { app } from '../../src/app.ts'
import { withCheck } from '../support/credentials.ts'
import type { ApiDocument } from '../support/document.ts'
import { encoded, type Fuzzed } from './fuzzed.ts'
import { headersOf } from './headers.ts'
import type { Random } from './random.ts'
import type { Reply } from './send.ts'
import { ODD_SEGMENTS, oddText, pairsOf, words } from './values.ts'
import type { World } from './world.ts'

const NOT_PAGES = /^\/(api|internal|log|health|ready|\.well-known|\*)/
/** Actions that end sessions of other requests, or redirect elsewhere: never sent with a valid form token. */
const NEVER_VALID = /\/sign-out$|\/sessions\/|\/account\/kyc$/

const ROUTES = app.routes
  .filter(({ method, path }) => ['GET', 'POST'].includes(method) && !NOT_PAGES.test(path))
  .map(({ method, path }) => ({ method, path }))

const QUERIES = words('q page per_page days state status type reg from action to label style class min_score')
const FIELDS = words(
  'name number slug platform_slug domain method permissions expected since type admission webhook_url',
)
const MORE_FIELDS = words(
  'events event_types token_name prefs mail class description specializations rate_limit_per_minute',
)
const VALUES = words(
  '0 1 -1 2147483648 1e3 365 2026-11-01 0000-00-00 true null A dns all open active claimed task_failed',
)
const COOKIES = [
  '',
  'x',
  '"',
  '%',
  `reg_cons_${'a'.repeat(59)}`,
  `reg_sess_${'a'.repeat(59)}`,
  'x'.repeat(5_000),
]
const FORM = 'application/x-www-form-urlencoded'
const TYPES = [
  FORM,
  FORM,
  `${FORM}; charset=utf-16`,
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/json',
]
const ACCEPTS = ['text/html', 'text/html,*/*;q=0.8', '*/*', 'application/json', ';;q=,/']

/** A request for a page or a form submission, with or without a session, with headers of a browser or others. */
export function pageRequest(document: ApiDocument, world: World, random: Random, n: number): Fuzzed {
  const { method: declared, path: route } = random.pick(ROUTES)
  const method = random.chance(0.06) ? random.pick(['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) : declared
  const path = concrete(document, world, route, random)
  const headers = headersOf(random).filter(
    ([name]) => !/^(accept|origin|content-type|sec-fetch-site)$/i.test(name),
  )
  headers.push(['Accept', random.pick(ACCEPTS)])
  const cookie = cookieOf(world, random)
  if (cookie !== null) headers.push(['Cookie', `reg_console=${cookie}`])
  const query = random.chance(0.4) ? `?${pairs(random, QUERIES)}` : ''
  const call = { n, caller: 'page', method, path: path + query, headers }
  if (method !== 'POST') return { ...call, body: null, inert: true, rejected: false }
  const isValid = cookie !== null && random.chance(0.6) && !NEVER_VALID.test(route) && !/[%<{]/.test(path)
  headers.push(['Content-Type', isValid ? FORM : random.pick(TYPES)])
  headers.push([
    'Sec-Fetch-Site',
    isValid ? 'same-origin' : random.pick(['same-origin', 'cross-site', 'none']),
  ])
  const nonce = `fuzz-${n}-${random.below(1e9)}`
  const token = isValid ? tokenOf(world, cookie, path, nonce) : random.pick(['', 'x', '%zz', 'AAAA'])
  const fields = pairs(random, [...FIELDS, ...MORE_FIELDS])
  const body = Buffer.from(`${fields}&_token=${encodeURIComponent(token)}&_nonce=${nonce}`)
  return { ...call, body, inert: !isValid, rejected: !isValid }
}

/** The path of a route, with existing, unknown, or malformed parameters. */
function concrete(document: ApiDocument, world: World, route: string, random: Random): string {
  const isForeign = random.chance(0.2)
  const last = (path: string) => {
    const found = document.routes.find((one) => one.path === path)
    return found && world.targetOf(found, isForeign).path.split('/').at(-1)
  }
  const known: Record<string, string | undefined> = {
    reg: last('/agents/{reg}'),
    slug: last('/platforms/{slug}'),
    key_id: last('/operators/me/api-keys/{key_id}'),
    id: last(route.includes('deliveries') ? '/platforms/{slug}/deliveries/{id}' : '/incidents/{id}'),
  }
  return route.replace(/:(\w+)(\{[^}]*\})?/g, (_, name: string) =>
    random.chance(0.75) && known[name]
      ? known[name]
      : random.chance(0.5)
        ? random.pick(ODD_SEGMENTS)
        : encoded(oddText(random).slice(0, 500)) || '%20',
  )
}

/** The cookie of an active, ended, or unknown session; null for no cookie. */
function cookieOf({ cast, keys }: World, random: Random): string | null {
  if (random.chance(0.15)) return null
  if (random.chance(0.15)) return random.pick(COOKIES)
  const role = random.weighted({ session: 12, stranger: 4, ended_session: 1, suspended_session: 1 })
  const token = random.pick(cast[role])
  return withCheck(`reg_cons_${token.slice('reg_sess_'.length, -8)}`, keys)
}

/** The form token that the page shows to the session. */
function tokenOf({ keys }: World, cookie: string, path: string, nonce: string): string {
  const session = cookie.slice('reg_cons_'.length).slice(0, 8)
  const key = Buffer.from(keys[0] ?? '', 'base64')
  return createHmac('sha256', key).update(['form', session, path, nonce].join('\n')).digest('base64')
}

function pairs(random: Random, names: readonly string[]): string {
  const value = () =>
    random.chance(0.5)
      ? random.pick(VALUES)
      : encoded(oddText(random).slice(0, random.chance(0.1) ? 4_000 : 200))
  return pairsOf(random, random.pick([1, 2, 3, 6, 12]), () => random.pick(names), value).join('&')
}

/** The fault of the response to such a request; null when there is none. */
export function pageFault({ method }: Fuzzed, { status, type, text, headers }: Reply): string | null {
  if (headers['content-security-policy'] === undefined) return 'no Content-Security-Policy'
  if (method === 'HEAD' && text !== '') return 'a body in the response to HEAD'
  const cacheControl = String(headers['cache-control'] ?? '')
  if (status >= 400 && /public|max-age/.test(cacheControl)) return `a cacheable error: ${cacheControl}`
  const to = String(headers.location ?? '')
  if ([303, 308].includes(status) && !/^\/(?![/\\])/.test(to)) return `a redirect to another site: ${to}`
  if (!type.startsWith('text/html')) return null
  return /<script>|<img[^>]+onerror|href="(javascript|data):/i.test(text)
    ? 'markup of a request in a page'
    : null
}
