import { describe, expect, it } from 'vitest'
import { expectHeaders } from '../support/contract.ts'
import { tirelessKey, tirelessReporter, unknownReg } from '../support/fill.ts'
import { type ApiResponse, type Call, shared } from '../support/harness.ts'

const h = shared()
const { api, openApi, newOperator, report } = h
const document = await openApi()

const CORS = { Origin: 'https://page.example' }

/** The public reads of an agent: those that caches may reuse for some seconds, and those that they must revalidate. */
const CACHED = [
  (reg: string) => `/agents/${reg}`,
  (reg: string) => `/agents/${reg}/trust-score`,
  (reg: string) => `/agents/${reg}/trust-score/history`,
  (reg: string) => `/agents/${reg}/trust-score/inputs`,
  (reg: string) => `/agents/${reg}/activity`,
  (reg: string) => `/agents/search?q=${reg}`,
  () => '/event-types',
]
const REVALIDATED = { '/verify/{reg}': true }
const PUBLIC = [...CACHED, (reg: string) => `/verify/${reg}`]
const EXPOSED = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'etag',
  'x-request-id',
]

const title = (path: (reg: string) => string) => path('{reg}')
const withTitles = (paths: typeof PUBLIC): [string, (reg: string) => string][] =>
  paths.map((path) => [title(path), path])

const get = (path: string, call: Call = {}) => api('GET', path, call)
const cacheControl = ({ headers }: ApiResponse) => headers.get('cache-control')
const variesBy = ({ headers }: ApiResponse) =>
  (headers.get('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
const etagOf = ({ headers }: ApiResponse) => headers.get('etag') ?? ''

describe.each(withTitles(PUBLIC))('GET %s', (path, pathOf) => {
  it('has a weak ETag, and returns 304 for If-None-Match with it, also for HEAD', async () => {
    const { reg } = await tirelessReporter(h)
    const first = await get(pathOf(reg), { headers: CORS })
    const etag = etagOf(first)
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"[0-9a-f]{32}"$/)])
    expect(cacheControl(first)).toBe(path in REVALIDATED ? 'no-cache' : 'public, max-age=10')
    for (const requested of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await get(pathOf(reg), { headers: { ...CORS, 'If-None-Match': requested } })
      expect([requested, again.status, again.text]).toEqual([requested, 304, ''])
      expect([etagOf(again), cacheControl(again)]).toEqual([etag, cacheControl(first)])
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
      expectHeaders(again)
    }
    for (const requested of ['"other"', `W/"${'0'.repeat(32)}"`, etag.slice(3, -1)]) {
      const again = await get(pathOf(reg), { headers: { 'If-None-Match': requested } })
      const { checked_at: then, computed_at: once, ...rest } = first.body
      expect({ requested, ...again }).toMatchObject({ requested, status: 200, body: rest })
    }
    const head = await api('HEAD', pathOf(reg), { headers: CORS })
    for (const name of [
      'etag',
      'content-type',
      'cache-control',
      'vary',
      'link',
      'access-control-allow-origin',
    ])
      expect([name, head.headers.get(name)]).toEqual([name, first.headers.get(name)])
    const same = await api('HEAD', pathOf(reg), { headers: { 'If-None-Match': etag } })
    expect(same.status).toBe(304)
  })

  it('allows web pages of any origin to read the body and the exposed headers', async () => {
    const { reg } = await tirelessReporter(h)
    for (const to of [pathOf(reg), pathOf(unknownReg())]) {
      const { headers } = await get(to, { headers: CORS })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/, ?/)
      expect(exposed).toEqual(expect.arrayContaining(EXPOSED))
    }
  })

  it('must not be cached if it is an error, or was read with a credential', async () => {
    const { reg, operator } = await tirelessReporter(h)
    for (const to of [pathOf(unknownReg()), pathOf('REG-1')]) {
      const response = await get(to)
      if (response.status === 200) continue
      expect([cacheControl(response), response.headers.get('etag')]).toEqual(['private, no-store', null])
      const requested = await get(to, { headers: { 'If-None-Match': '*' } })
      expect(requested.status).toBe(response.status)
    }
    const key = await tirelessKey(h, operator, ['activity:report'])
    expect(variesBy(await get(pathOf(reg)))).toContain('authorization')
    for (const token of [operator.token, key]) {
      const response = await get(pathOf(reg), { token, headers: { 'If-None-Match': '*' } })
      expect([response.status, cacheControl(response)]).toEqual([200, 'private, no-store'])
      expect(variesBy(response)).toContain('authorization')
      expect(response.headers.get('etag')).toBeNull()
    }
    const rejected = await get(pathOf(reg), { token: 'nonsense' })
    expect([rejected.status, cacheControl(rejected)]).toEqual([401, 'private, no-store'])
  })
})

it("forbids caching of an operator's responses", async () => {
  const { operator, reg } = await tirelessReporter(h)
  const key = await tirelessKey(h, operator, ['read'])
  const { token } = operator
  const responses = [
    await get('/operators/me', { token }),
    await get('/operators/me/agents', { token }),
    await get('/operators/me/agents', { token: key }),
    await get('/operators/me/dashboard', { token: key }),
    await get('/operators/me/api-keys', { token }),
    await get('/operators/me/notifications', { token }),
    await get(`/verify/${reg}/full`, { token: key }),
    await api('PATCH', `/agents/${reg}`, { token, body: { name: 'New' } }),
  ]
  for (const response of responses) {
    expect(response.status).toBe(200)
    expect(cacheControl(response)).toBe('private, no-store')
    expect(variesBy(response)).toContain('authorization')
    expect(response.headers.get('etag')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

it('forbids caching of all sign-in responses, whatever their status', async () => {
  const routes = document.routes.filter(({ path }) => path.startsWith('/auth/'))
  expect(routes.length).toBeGreaterThan(2)
  for (const { method, path } of routes) {
    expect(cacheControl(await api(method, path.replace(/\{\w+\}/g, 'x')))).toMatch(/\bno-store\b/)
  }
  const { token } = await newOperator()
  expect(cacheControl(await api('DELETE', '/auth/session', { token }))).toMatch(/\bno-store\b/)
})

describe('an ETag', () => {
  it('does not depend on the time of the request', async () => {
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
  })

  it('is the same for a score that is computed and one that a snapshot keeps', async () => {
    const { reg, key } = await tirelessReporter(h)
    for (let n = 0; n < 10; n++) await report(key, reg)
    const path = `/agents/${reg}/trust-score`
    const computed = await get(path)
    await h.cron()
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

describe('OPTIONS', () => {
  it('returns 204 on every route and on unknown paths, with the common headers', async () => {
    const preflight = { ...CORS, 'Access-Control-Request-Method': 'GET' }
    const paths = [...new Set(document.routes.map(({ path }) => path)), '/nothing', '/agents/a/b/c/d']
    for (const path of paths) {
      for (const headers of [preflight, {}]) {
        const response = await fetch(`${h.base_url}/api/v1${path.replace(/\{\w+\}/g, 'x')}`, {
          method: 'OPTIONS',
          headers: { 'CF-Connecting-IP': '10.77.1.2', ...headers },
        })
        expect([path, response.status, await response.text()]).toEqual([path, 204, ''])
        expect(response.headers.get('x-ratelimit-limit')).toBe('120')
        expect(response.headers.get('x-request-id')).toBeTruthy()
      }
    }
  })

  it('allows web pages the public methods, credentials, and the If-None-Match header', async () => {
    const { headers } = await fetch(`${h.base_url}/api/v1/agents/x`, {
      method: 'OPTIONS',
      headers: {
        ...CORS,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization, if-none-match',
        'CF-Connecting-IP': '10.77.1.3',
      },
    })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect((headers.get('access-control-allow-methods') ?? '').split(/, ?/)).toContain('GET')
    const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase()
    for (const name of ['authorization', 'if-none-match']) expect(allowed).toContain(name)
  })
})

describe('X-Request-Id', () => {
  it('differs for every response, whatever its status', async () => {
    const { operator, reg } = await tirelessReporter(h)
    const responses = [
      await get(`/agents/${reg}`),
      await get(`/agents/${reg}`),
      await get('/agents/x'),
      await get('/nothing'),
      await get('/operators/me'),
      await get('/operators/me', { token: operator.token }),
      await api('PUT', '/agents'),
      await get('//health'),
    ]
    const ids = responses.map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is the CF-Ray of the request, if it has one', async () => {
    const ray = `8c1f${Date.now().toString(16)}-FRA`
    const { headers } = await get('/nothing', { headers: { 'CF-Ray': ray } })
    expect(headers.get('x-request-id')).toBe(ray)
  })
})
