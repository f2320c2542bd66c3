import { decoded } from '../support/contract.ts'
import { API, type ApiDocument, errorBreach } from '../support/document.ts'
import { encoded, type Fuzzed } from './fuzzed.ts'
import { headersOf } from './headers.ts'
import type { Random } from './random.ts'
import type { Reply } from './send.ts'
import { oddText, words } from './values.ts'
import type { World } from './world.ts'

// Requests for what verifiers read: the log, token keys, their page, and tokens. Only tokens are in the document.

const LEVELS = words('0 0 0 1 2 7 8 63 64 99 entries entries 00 -1 1e0 ENTRIES data %30 x')
const PLACES = [
  ...words('000 000 000 000 001 255 999 x001/000 x000/001 x000/000 x999/x999/x999/999'),
  'x999/x999/x999/x999/x999/999',
  'x009/x007/x199/x254/x740/992', // 2^53
  'x035/x184/x372/x088/831', // above 2^53, and 2^63 leaves
  ...words('x 0 00 0000 1 x001 x1/000 %78001/000 x001%2F000 000%00 -01 %D9%A0%D9%A0%D9%A0 ../0/000 0%200'),
  `${'x999/'.repeat(300)}999`,
  '9'.repeat(2_000),
]
const WIDTHS = [
  '',
  ...words('.p/1 .p/1 .p/2 .p/7 .p/100 .p/255 .p/256 .p/257 .p/0 .p/00 .p/01 .p/-1 .p/1e1 .p/999 .p/9999'),
  ...words('.p .p/ .P/1 %2Ep/1 .p%2F1 .p/1/ .p/1.p/1 /1 / .p/%31 .p/+1'),
]
const INDEXES = [
  '',
  ...words('0 0 1 2 7 99 999999 -1 -0 +1 00 1.5 1e3 0x10 NaN %30 %201 1%00 0/ 0/1 999999999999999'),
  ...words('9007199254740992 9223372036854775808'),
  '9'.repeat(400),
]
const OTHERS = [
  ...words('/log/checkpoint /log/checkpoint /log/checkpoint /log/info.json /log/info.json /transparency'),
  ...words('/.well-known/jwks.json /.well-known/jwks.json /.well-known/ /.well-known/jwks.json/'),
  ...words(
    '/log /log/ //log/checkpoint /log//checkpoint /log/./checkpoint /log/x/../checkpoint /LOG/checkpoint',
  ),
  ...words(
    '/log/%2e%2e/log/checkpoint /log/checkpoint/ /log/checkpoint%00 /log/%63heckpoint /log/%zz /log/%ff',
  ),
  ...words(
    '/log/tile /log/tile/ /log/proof /log\\checkpoint /%2ewell-known/jwks.json /transparency/../log/info.json',
  ),
]
const METHODS = { GET: 72, HEAD: 12, OPTIONS: 4, POST: 4, PUT: 2, DELETE: 2, PATCH: 2, PROPFIND: 2 }

/** The required Cache-Control of each successful response. */
const CACHE_RULES: [name: RegExp, rule: string][] = [
  [/^\/log\/checkpoint$/, 'public, max-age=5'],
  [/^\/log\/tile\//, 'public, max-age=31536000, immutable'],
  [/^\/log\/proof\//, 'public, max-age=10'],
  [/^\/log\/info\.json$/, 'public, max-age=300'],
  [/^\/\.well-known\/jwks\.json$/, 'public, max-age=600'],
  [/^\/transparency$/, 'public, max-age=60'],
  [/^\/api\/v1\/verify\/[^/]+\/token$/, 'public, max-age=10'],
]
const STATUSES = [200, 204, 304, 400, 404, 405, 429]
const INVALID_CREDENTIAL = 'Bearer x'
const HASH_BYTES = 32

/** A request for published data, with valid, unknown, and malformed paths. */
export function publishedRequest(document: ApiDocument, world: World, random: Random, n: number): Fuzzed {
  const headers = headersOf(random)
  if (random.chance(0.1)) headers.push(['Authorization', random.pick(['', INVALID_CREDENTIAL, 'Basic eDp5'])])
  const query = random.chance(0.25) ? `?${oddQuery(random)}` : ''
  const method = random.weighted(METHODS)
  const path = pathOf(document, world, random) + query
  return { n, caller: 'published', method, path, headers, body: null, inert: true, rejected: false }
}

function pathOf(document: ApiDocument, world: World, random: Random): string {
  switch (random.weighted({ tile: 10, proof: 3, other: 6, token: 2 })) {
    case 'tile':
      return `/log/tile/${random.pick(LEVELS)}/${random.pick(PLACES)}${random.pick(WIDTHS)}`
    case 'proof':
      return `/log/proof/${random.pick(INDEXES)}`
    case 'token': {
      const route = document.routes.find(({ path }) => path === '/verify/{reg}/token')
      if (!route) throw new Error('no route of tokens')
      return API + world.targetOf(route, random.chance(0.5)).path
    }
    case 'other':
      return random.pick(OTHERS)
  }
}

function oddQuery(random: Random): string {
  const piece = () => encoded(oddText(random).slice(0, 500))
  return random.pick(['', '%zz', '%ff=%00', 'size=1', `a=${piece()}`, `${piece()}&${piece()}=${piece()}`])
}

/** The fault of the response to such a request; null when there is none. */
export function publishedFault(
  { method, path, headers: sent }: Fuzzed,
  { status, type, text, headers, bytes }: Reply,
): string | null {
  const [pathname = ''] = path.split('?')
  const cacheControl = headers['cache-control']
  // Below /api/v1, a Bearer credential is used, also by a public read; this one is invalid.
  const hasCredential = sent.some(([name, value]) => name === 'Authorization' && value === INVALID_CREDENTIAL)
  const isRejected = status === 401 && hasCredential && pathname.startsWith('/api/v1/')
  if (!STATUSES.includes(status) && !isRejected) return 'an unexpected status'
  if (headers['x-ratelimit-limit'] === undefined) return 'no rate-limit headers'
  if (method === 'OPTIONS' && status === 204) return null
  if (method === 'HEAD' && text !== '') return 'a body in the response to HEAD'
  if (status >= 400) {
    if (pathname.startsWith('/log/') && cacheControl !== 'no-store')
      return `a cacheable error: ${cacheControl}`
    const isPage = !pathname.startsWith('/log') && type.startsWith('text/html') // for Accept: text/html
    if (method === 'HEAD' || isPage) return null
    return type.startsWith('application/json') ? errorBreach(status, text) : 'not an error object'
  }
  if (!['GET', 'HEAD'].includes(method)) return 'a write that was accepted'
  const resource = decoded(pathname) ?? pathname
  const rule = CACHE_RULES.find(([name]) => name.test(resource))?.[1]
  if (cacheControl !== rule) return `Cache-Control is ${cacheControl}, not as ${rule}`
  const isHashes = /^\/log\/tile\/\d/.test(resource) && method === 'GET'
  return isHashes && (bytes === 0 || bytes % HASH_BYTES !== 0) ? `${bytes} bytes of hashes` : null
}
