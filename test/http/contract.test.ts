import { describe, expect, it, vi } from 'vitest'
import {
  anyPath,
  BAD_SEGMENTS,
  badFields,
  expectHeaders,
  expectRejection,
  isExact,
  ODD_QUERIES,
  oddParameters,
  rowsOf,
  unreadableBodies,
} from '../support/contract.ts'
import { freshWord, withWrongCheck } from '../support/fill.ts'
import { type ApiResponse, shared } from '../support/harness.ts'
import { rightfulCaller } from '../support/rightful.ts'

const PAGINATION = ['page', 'per_page', 'total', 'total_pages']
const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']
const UNKNOWN_AGENTS = [
  [withWrongCheck('REG-1999-0001-0042-4'), /check character/],
  ['REG-1999-0001-0042-4', /REG-1999-0001-0042-4|you have no platform 'nowhere'/],
] as const

const h = shared()
vi.setConfig({ testTimeout: 180_000 }) // routes are tested in parallel, and some tests make 150 requests
const { api } = h
const document = await h.openApi()

/** Declares a test only for the routes that it applies to. */
const when = (applies: unknown) => (applies ? it : () => undefined)

const routesWithInput = document.routes.filter(
  (one) => one.method === 'GET' || one.body || one.parameters.length > 0,
)

describe.each(routesWithInput)('$name', { concurrent: true }, (route) => {
  const { method, path } = route

  when(route.body)(
    'rejects unreadable bodies and invalid fields, stores nothing, and ignores unknown fields',
    async () => {
      const caller = await rightfulCaller(h, document, route)
      const sample = caller.sample ?? {}
      const before = await rowsOf(h, caller.owner.id)
      const untyped = await caller.call(caller.path, {
        body: new TextEncoder().encode('{}'),
        headers: { 'Content-Type': '' },
      })
      expectRejection(untyped, 415, 'UNSUPPORTED_MEDIA_TYPE')
      const rejected = [...unreadableBodies(route), ...badFields(document, route, sample)]
      for (const { title, call, status, code, message } of rejected) {
        const reply = await caller.call(caller.path, call)
        expect({ title, status: reply.status, body: reply.body }).toMatchObject({ title, status })
        expectRejection(reply, status, code, message)
      }
      expect(await rowsOf(h, caller.owner.id)).toEqual(before)

      const odd = JSON.parse(
        '{"__proto__": {"name": 1}, "constructor": {"prototype": 1}, "hasOwnProperty": 1}',
      )
      const fields = Object.keys(document.resolve(route.body ?? {}).properties ?? {})
      const body = JSON.stringify({ ...odd, ...sample }).replace('{', '{"__proto__": {"status": 500}, ')
      const headers = { 'Content-Type': 'APPLICATION/JSON; charset=utf-8' }
      const reply = await caller.call(caller.path, { body, headers })
      expect({ status: reply.status, body: reply.body }).toMatchObject({
        status: expect.toSatisfy((status) => status >= 200 && status < 300),
        body: {
          warnings: ['__proto__', 'constructor', 'hasOwnProperty'].map((field) => ({
            code: 'unused',
            field,
            message: `is ignored: unknown field; supported: ${fields.join(', ')}`,
          })),
        },
      })
      expectHeaders(reply)
    },
  )

  when(path.includes('{'))('rejects an invalid path parameter or unknown agent, by name', async () => {
    const caller = await rightfulCaller(h, document, route)
    for (const [placeholder, name] of path.matchAll(/\{(\w+)\}/g)) {
      const malformed = name === 'reg' ? ['x', 'REG-2026-0001-0042', 'REG-2026-0001-0042-u'] : ['x']
      for (const segment of malformed) {
        const to = anyPath(path.replace(placeholder, segment))
        const reply = await caller.call(to, caller.sample && { body: caller.sample })
        expectRejection(reply, 400, 'VALIDATION_ERROR', new RegExp(`^${name}: must `))
      }
      for (const [reg, message] of name === 'reg' ? UNKNOWN_AGENTS : []) {
        const to = anyPath(path.replace('{reg}', reg))
        const reply = await caller.call(to, caller.sample && { body: caller.sample })
        expectRejection(reply, 404, 'NOT_FOUND', message)
      }
      for (const segment of BAD_SEGMENTS) {
        const to = anyPath(path.replace(placeholder, segment))
        const reply = await caller.call(to, caller.sample && { body: caller.sample })
        expect({ to, status: reply.status }).toEqual({
          to,
          status: expect.toSatisfy((s) => s === 400 || s === 404),
        })
        expectHeaders(reply)
      }
    }
  })

  when(method === 'GET')('returns the status of GET without a body for HEAD', async () => {
    const get = await api('GET', anyPath(path))
    const head = await api('HEAD', anyPath(path))
    expect(head.status).toBe(get.status)
    expect(head.text).toBe('')
    expectHeaders(head)
  })

  const isPaged = route.parameters.some(({ name }) => name === 'per_page')
  when(isPaged)('returns page 1 with 20 items by default, and allows at most 50', async () => {
    const caller = await rightfulCaller(h, document, route)
    const page = async (query: string) => (await caller.call(caller.path + query)).body
    const first = path === '/operators/me/api-keys' ? '?page=1' : '' // without a page, it lists all
    expect((await page(first)).pagination).toMatchObject({ page: 1, per_page: 20 })
    expect(Object.keys((await page(first)).pagination).sort()).toEqual(PAGINATION)
    expect((await page('?per_page=50')).pagination.per_page).toBe(50)
    // Without the agents of other tests, page 77 of a search is empty.
    const ownAgents = path === '/agents/search' ? `&specialization=${freshWord()}` : ''
    expect((await page(`?page=77${ownAgents}`)).data).toEqual([])
    for (const query of ['?per_page=51', '?per_page=0', '?page=0', '?page=-1', '?page=x']) {
      expectRejection(await caller.call(caller.path + query), 400, 'VALIDATION_ERROR', /page: /)
    }
  })

  const queried = route.parameters.filter((one) => one.in === 'query')
  const optional = queried.filter(({ name }) => name !== 'cursor')
  const judgesQuery = method === 'GET' || queried.length > 0 || isExact(document, route)
  when(judgesQuery)(
    'names query parameters that are unknown, invalid, or repeated, and treats empty ones as absent',
    async () => {
      const caller = await rightfulCaller(h, document, route)
      const ask = (query: string) => caller.call(`${caller.path}?${query}`)
      const rule =
        queried.length > 0
          ? `supported: ${queried.map(({ name }) => name).join(', ')}`
          : 'this endpoint has none'
      for (const name of isExact(document, route) ? ['colour', 'PAGE', 'page[]', 'x'.repeat(4_000)] : []) {
        const reply = await ask(`${encodeURIComponent(name)}=1`)
        expectRejection(reply, 400, 'VALIDATION_ERROR')
        expect(reply.body.error.message).toBe(`${name.slice(0, 50)}: unknown query parameter; ${rule}`)
      }
      const odd = (method === 'GET' ? ODD_QUERIES : []).map((query) => ({
        name: '',
        query,
        isRejected: false,
      }))
      for (const { name, query, isRejected } of [...odd, ...oddParameters(document, route)]) {
        const reply = await ask(query)
        expect({ query, status: reply.status }).toEqual({
          query,
          status: isRejected ? 400 : expect.toSatisfy((status) => status < 500),
        })
        if (isRejected) expectRejection(reply, 400, 'VALIDATION_ERROR', new RegExp(`^${name}: `))
        else expectHeaders(reply)
      }
      if (method !== 'GET') return
      const shapeOf = ({ status, body }: ApiResponse) => ({ status, fields: Object.keys(body ?? {}) })
      const absent = shapeOf(await caller.call(caller.path))
      for (const query of optional.flatMap(({ name }) => [`${name}=`, `${name}=%20`]))
        expect({ query, ...shapeOf(await ask(query)) }).toEqual({ query, ...absent })
    },
  )
})

const paths = [...new Set(document.routes.map(({ path }) => path))]
it.concurrent.each(paths)('%s returns 405 with the allowed methods for any other method', async (path) => {
  const concrete = anyPath(path)
  const own = document.methodsOf(concrete)
  for (const method of METHODS.filter((one) => !own.includes(one))) {
    const reply = await api(method, concrete)
    expectRejection(reply, 405, 'METHOD_NOT_ALLOWED', new RegExp(method))
    const allowed = (reply.headers.get('allow') ?? '')
      .split(', ')
      .filter((one) => !['HEAD', 'OPTIONS'].includes(one))
    expect(allowed.sort()).toEqual(own)
  }
})

it.concurrent.each([
  '/',
  '/nothing',
  '/agents/a/b/c',
  '/operators',
  '/openapi.yaml',
  '/agents//activity',
  '/%zz',
  '/AGENTS',
])('the unknown route %s returns 404 and counts the request', async (path) => {
  for (const method of METHODS) expectRejection(await api(method, path), 404, 'NOT_FOUND')
})

it('returns 500 in the common error shape, and reveals nothing about the cause', async () => {
  // A wrong counter violates a check constraint: an internal error without an outage.
  const { operator, reg } = await h.newReporter()
  await h.sql('update operators set active_agents = 0 where id = $1', [operator.id])
  const response = await fetch(`${h.base_url}/api/v1/agents/${reg}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${operator.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Late', status: 'deactivated' }),
  })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: {
      code: 'INTERNAL_ERROR',
      message:
        'internal error; if it persists, report the X-Request-Id to the administrator of this registry',
      status: 500,
    },
  })
  expect(response.headers.get('x-ratelimit-limit')).toBe('120')
  expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({ name: 'Scout', status: 'active' })
})
