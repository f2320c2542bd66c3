import { describe, expect, it } from 'vitest'
import { anyPath, expectHeaders } from '../support/contract.ts'
import { tirelessKey, tirelessReporter, unknownReg } from '../support/fill.ts'
import { type ApiResponse, type Call, shared } from '../support/harness.ts'
import { untilScored } from '../support/logged.ts'

const h = shared()
const { api, openApi, newOperator, report } = h
const document = await openApi()

const CORS = { Origin: 'https://page.example' }

/** The public reads of an agent. */
const PUBLIC = [
  '/agents/{reg}',
  '/agents/{reg}/trust-score',
  '/agents/{reg}/trust-score/history',
  '/agents/{reg}/trust-score/inputs',
  '/agents/{reg}/activity',
  '/agents/search?q={reg}',
  '/event-types',
  '/verify/{reg}',
]
const REVALIDATED = '/verify/{reg}' // caches may reuse the others for some seconds
const EXPOSED = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'etag',
  'x-request-id',
]
const SAME_FOR_HEAD = ['etag', 'content-type', 'cache-control', 'vary', 'link', 'access-control-allow-origin']

const get = (path: string, call: Call = {}) => api('GET', path, call)
const cacheControl = ({ headers }: ApiResponse) => headers.get('cache-control')
const etagOf = ({ headers }: ApiResponse) => headers.get('etag') ?? ''
const listed = ({ headers }: ApiResponse, name: string) =>
  (headers.get(name) ?? '').toLowerCase().split(/, ?/)

/** Expects that no cache may keep a response. */
function expectPrivate(response: ApiResponse, status: number): void {
  expect([response.status, cacheControl(response), response.headers.get('etag')]).toEqual([
    status,
    'private, no-store',
    null,
  ])
}

it.concurrent.each(PUBLIC)(
  'GET %s has a weak ETag, and may be cached and read by any page, but not with a credential',
  async (path) => {
    const { reg, operator } = await tirelessReporter(h)
    const own = path.replace('{reg}', reg)
    const first = await get(own, { headers: CORS })
    const etag = etagOf(first)
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"[0-9a-f]{32}"$/)])
    expect(cacheControl(first)).toBe(path === REVALIDATED ? 'no-cache' : 'public, max-age=10')
    expect(listed(first, 'vary')).toContain('authorization')
    for (const requested of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await get(own, { headers: { ...CORS, 'If-None-Match': requested } })
      expect([requested, again.status, again.text]).toEqual([requested, 304, ''])
      expect([etagOf(again), cacheControl(again)]).toEqual([etag, cacheControl(first)])
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
      expectHeaders(again)
    }
    for (const requested of ['"other"', `W/"${'0'.repeat(32)}"`, etag.slice(3, -1)]) {
      const again = await get(own, { headers: { 'If-None-Match': requested } })
      const { checked_at: then, computed_at: once, ...rest } = first.body
      expect({ requested, ...again }).toMatchObject({ requested, status: 200, body: rest })
    }
    const head = await api('HEAD', own, { headers: CORS })
    for (const name of SAME_FOR_HEAD)
      expect([name, head.headers.get(name)]).toEqual([name, first.headers.get(name)])
    expect((await api('HEAD', own, { headers: { 'If-None-Match': etag } })).status).toBe(304)

    const others = await Promise.all(
      [unknownReg(), 'REG-1'].map((one) => get(path.replace('{reg}', one), { headers: CORS })),
    )
    for (const response of [first, ...others]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      expect(listed(response, 'access-control-expose-headers')).toEqual(expect.arrayContaining(EXPOSED))
      if (response.status !== 200) expectPrivate(response, response.status)
    }
    const key = await tirelessKey(h, operator, ['activity:report'])
    for (const token of [operator.token, key]) {
      const response = await get(own, { token, headers: { 'If-None-Match': '*' } })
      expectPrivate(response, 200)
      expect(listed(response, 'vary')).toContain('authorization')
    }
    expectPrivate(await get(own, { token: 'nonsense' }), 401)
  },
)

it("forbids caching of an operator's responses", async () => {
  const { operator, reg } = await tirelessReporter(h)
  const key = await tirelessKey(h, operator, ['read'])
  const { token } = operator
  const responses = [
    await get('/operators/me', { token }),
    await get('/operators/me/agents', { token: key }),
    await get(`/verify/${reg}/full`, { token: key }),
    await api('PATCH', `/agents/${reg}`, { token, body: { name: 'New' } }),
  ]
  for (const response of responses) {
    expectPrivate(response, 200)
    expect(listed(response, 'vary')).toContain('authorization')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

it('forbids caching of all sign-in responses, whatever their status', async () => {
  const routes = document.routes.filter(({ path }) => path.startsWith('/auth/'))
  expect(routes.length).toBeGreaterThan(2)
  const { token } = await newOperator()
  for (const call of [{}, { token }]) {
    for (const { method, path } of routes)
      expect(cacheControl(await api(method, anyPath(path), call))).toMatch(/\bno-store\b/)
  }
})

describe('an ETag', () => {
  it('of a score does not depend on the time of the request, nor on whether a snapshot keeps it', async () => {
    const { reg, key } = await tirelessReporter(h)
    for (let n = 0; n < 10; n++) await report(key, reg)
    const noon = new Date(new Date().setUTCHours(12, 0, 0, 0))
    const later = new Date(noon.getTime() + 3_600_000)
    for (const [path, field] of [
      [`/verify/${reg}`, 'checked_at'],
      [`/agents/${reg}/trust-score`, 'computed_at'],
    ] as const) {
      const [one, two] = [await get(path, { now: noon }), await get(path, { now: later })]
      expect(one.body[field]).not.toBe(two.body[field])
      expect(etagOf(one)).toBe(etagOf(two))
    }
    const path = `/agents/${reg}/trust-score`
    const computed = await get(path)
    await untilScored(h, reg)
    const [{ kept_score }] = await h.sql(
      'select kept_score from agent_stats where agent_id = (select id from agents where reg = $1)',
      [reg],
    )
    expect(kept_score).not.toBeNull()
    expect(etagOf(await get(path))).toBe(etagOf(computed))
  })

  it('changes with the content', async () => {
    const { reg, key, operator } = await tirelessReporter(h)
    const paths = [
      `/agents/${reg}`,
      `/agents/${reg}/activity`,
      `/agents/${reg}/trust-score`,
      `/verify/${reg}`,
    ]
    const all = async () => Promise.all(paths.map(async (path) => etagOf(await get(path))))
    const initial = await all()
    for (let n = 0; n < 10; n++) await report(key, reg)
    const active = await all()
    for (const [n, path] of paths.entries()) expect(active[n], path).not.toBe(initial[n])
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'Renamed' } })
    const renamed = await all()
    expect(renamed.map((etag, n) => etag === active[n])).toEqual([false, true, true, false])
    const stale = await get(`/agents/${reg}`, { headers: { 'If-None-Match': initial[0] ?? '' } })
    expect([stale.status, stale.body.name]).toEqual([200, 'Renamed'])
  })
})

it('OPTIONS returns 204 on every route and on unknown paths, and allows web pages the public methods', async () => {
  const preflight = {
    ...CORS,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization, if-none-match',
  }
  const options = (path: string, call: Call = {}) => api('OPTIONS', `//api/v1${path}`, call)
  const paths = [...new Set(document.routes.map(({ path }) => path)), '/nothing', '/agents/a/b/c/d']
  for (const path of paths) {
    const response = await options(anyPath(path), { headers: preflight })
    expect([path, response.status, response.text]).toEqual([path, 204, ''])
    expectHeaders(response)
  }
  expect((await options('/agents/x')).status).toBe(204)
  const allowed = await options('/agents/x', { headers: preflight })
  expect(allowed.headers.get('access-control-allow-origin')).toBe('*')
  expect(allowed.headers.get('access-control-max-age')).toBe('86400')
  expect(listed(allowed, 'access-control-allow-methods')).toContain('get')
  expect(listed(allowed, 'access-control-allow-headers')).toEqual(
    expect.arrayContaining(['authorization', 'if-none-match']),
  )
})

it('X-Request-Id differs for every response, and is the CF-Ray of the request, if it has one', async () => {
  const responses = [await get('/agents/x'), await get('/agents/x'), await get('//health')]
  const ids = responses.map(({ headers }) => headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(ids.length)
  const ray = `8c1f${Date.now().toString(16)}-FRA`
  expect((await get('/nothing', { headers: { 'CF-Ray': ray } })).headers.get('x-request-id')).toBe(ray)
})
