import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  BAD_SEGMENTS,
  badFields,
  expectHeaders,
  expectRefusal,
  foreignRefusal,
  forgedTokens,
  isList,
  NOT_BEARER,
  ODD_QUERIES,
  ODD_VALUES,
  otherPermissions,
  rowsOf,
  unreadableBodies,
} from '../support/contract.ts'
import { credentialsKeys } from '../support/credentials.ts'
import { freshWord } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { accessOf, rightfulCaller } from '../support/rightful.ts'

const MONTH_MS = 31 * 86_400_000
const PAGINATION = ['page', 'per_page', 'total', 'total_pages']
const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']

const h = shared()
vi.setConfig({ testTimeout: 180_000 }) // routes run side by side, and some make 150 calls
const { api } = h
const document = await h.openApi()
const keys = await credentialsKeys(h.dir)

// Nobody in this cast is let in anywhere, so that what they share cannot matter.
const cast = {
  session: '',
  key: '',
  reader: '',
  signedOut: '',
  revoked: '',
  expired: '',
  suspended: '',
  suspendedKey: '',
}
const poorKeys = new Map<string, string>()
const soon = new Date(Date.now() + 3_600_000)

beforeAll(async () => {
  const [owner, barred] = await Promise.all([h.newOperator(), h.newOperator()])
  const [key, reader, revoked, expired, barredKey] = await Promise.all([
    h.newKey(owner),
    h.newKey(owner, ['read', 'write']),
    h.newKey(owner),
    h.newKey(owner, ['read', 'write', 'activity:report'], { expires_at: soon.toISOString() }),
    h.newKey(barred, ['read', 'write', 'activity:report']),
  ])
  const left = await h.newOperator({ email: owner.email })
  await api('DELETE', '/auth/session', { token: left.token })
  await h.sql('update api_keys set revoked_at = now() where id = $1', [revoked.id])
  await h.suspend(barred)
  Object.assign(cast, {
    session: owner.token,
    key: key.key,
    reader: reader.key,
    signedOut: left.token,
    revoked: revoked.key,
  })
  Object.assign(cast, { expired: expired.key, suspended: barred.token, suspendedKey: barredKey.key })
  const wants = new Set(
    document.routes.filter((route) => accessOf(route).key).map((r) => otherPermissions(r).join()),
  )
  for (const permissions of wants) {
    if (permissions) poorKeys.set(permissions, (await h.newKey(owner, permissions.split(','))).key)
  }
})

/** Declares a test of those routes only that it is for. */
const when = (applies: unknown) => (applies ? it : () => undefined)

/** The path with something well-formed for each parameter. */
const anyPath = (path: string) =>
  path
    .replace('{reg}', 'REG-1999-0001-0042-4')
    .replace('{slug}', 'nowhere')
    .replace(/\{\w*id\}/g, '00000000-0000-7000-8000-000000000000')

it('has routes to hold to the contract', () => {
  expect(document.routes.length).toBeGreaterThanOrEqual(9)
})

describe.each(document.routes)('$name', { concurrent: true }, (route) => {
  const { method, path } = route
  const { session, key, optional } = accessOf(route)
  const isPublic = !session && !key
  const bad = anyPath(path)

  when(isPublic)('ignores the Authorization header', async () => {
    const without = await api(method, bad)
    const headers = { Authorization: 'Bearer nonsense' }
    expect((await api(method, bad, { headers })).status).toBe(without.status)
    expect((await api(method, bad, { token: cast.suspended })).status).toBe(without.status)
    expectHeaders(without)
  })

  when(!optional)('refuses a caller without a credential [4.4e 5l 5n 4.1a 4.1e]', async () => {
    expectRefusal(await api(method, bad), 401, 'UNAUTHORIZED', /Authorization/)
  })

  when(!isPublic)('refuses what is no credential of ours [4.4e 5n 7d]', async () => {
    for (const Authorization of NOT_BEARER) {
      expectRefusal(await api(method, bad, { headers: { Authorization } }), 401, 'UNAUTHORIZED')
    }
    for (const token of Object.values(forgedTokens(cast.session, cast.key, keys))) {
      expectRefusal(await api(method, bad, { token }), 401, 'UNAUTHORIZED')
    }
  })

  when(session)('refuses a session that has ended or is a month old [5n session-11]', async () => {
    expectRefusal(await api(method, bad, { token: cast.signedOut }), 401, 'UNAUTHORIZED', /session/)
    const now = new Date(Date.now() + MONTH_MS)
    expectRefusal(await api(method, bad, { token: cast.session, now }), 401, 'UNAUTHORIZED', /session/)
  })

  when(key)('refuses a key that is revoked or has expired [5n key-8]', async () => {
    expectRefusal(await api(method, bad, { token: cast.revoked }), 401, 'UNAUTHORIZED', /API key/)
    expectRefusal(await api(method, bad, { token: cast.expired, now: soon }), 401, 'UNAUTHORIZED', /API key/)
  })

  when(session !== key)(
    'refuses the other kind of credential, and says which one it takes [5m]',
    async () => {
      const token = session ? cast.key : cast.session
      const takes = session ? /session token/ : /API key/
      expectRefusal(await api(method, bad, { token }), 401, 'UNAUTHORIZED', takes)
    },
  )

  when(key && !optional)('refuses a key without the permission, and names it [5o 7f]', async () => {
    const token = poorKeys.get(otherPermissions(route).join())
    const names = new RegExp([...accessOf(route).permissions].join(' or '))
    expect(accessOf(route).permissions.size).toBeGreaterThan(0)
    expectRefusal(await api(method, bad, { token: token ?? '' }), 403, 'FORBIDDEN', names)
  })

  when(!isPublic)('refuses a suspended operator [operator-4]', async () => {
    for (const token of [session && cast.suspended, key && cast.suspendedKey]) {
      if (token) expectRefusal(await api(method, bad, { token }), 403, 'FORBIDDEN', /suspended/)
    }
  })

  const foreign = isPublic || optional ? null : foreignRefusal(route)
  when(foreign)("refuses a stranger's credential [3g 5e 4.4g]", async () => {
    const [mine, theirs] = await Promise.all([
      rightfulCaller(h, document, route),
      rightfulCaller(h, document, route),
    ])
    const before = await rowsOf(h, theirs.owner.id)
    const answer = await mine.call(theirs.path, theirs.sample && { body: theirs.sample })
    expectRefusal(answer, foreign?.status ?? 0, foreign?.code ?? '')
    expect(await rowsOf(h, theirs.owner.id)).toEqual(before)
  })

  when(route.body)('refuses bodies that it cannot read, and stores nothing [7b]', async () => {
    const caller = await rightfulCaller(h, document, route)
    const before = await rowsOf(h, caller.owner.id)
    for (const { title, call, status, code, message } of unreadableBodies(route)) {
      const answer = await caller.call(caller.path, call)
      expect({ title, status: answer.status }).toEqual({ title, status })
      expectRefusal(answer, status, code, message)
    }
    const untyped = await caller.call(caller.path, {
      body: new TextEncoder().encode('{}'),
      headers: { 'Content-Type': '' },
    })
    expectRefusal(untyped, 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(await rowsOf(h, caller.owner.id)).toEqual(before)
  })

  when(route.body)(
    'names each field that does not fit its schema, and stores nothing [4.4d 7a]',
    async () => {
      const caller = await rightfulCaller(h, document, route)
      const before = await rowsOf(h, caller.owner.id)
      for (const { title, call, status, code, message } of badFields(document, route, caller.sample ?? {})) {
        const answer = await caller.call(caller.path, call)
        expect({ title, status: answer.status, said: answer.body }).toMatchObject({ title, status })
        expectRefusal(answer, status, code, message)
      }
      expect(await rowsOf(h, caller.owner.id)).toEqual(before)
    },
  )

  when(route.body)('takes a body of its schema, with fields that nobody knows', async () => {
    const caller = await rightfulCaller(h, document, route)
    const odd = JSON.parse('{"__proto__": {"name": 1}, "constructor": {"prototype": 1}, "hasOwnProperty": 1}')
    const body = JSON.stringify({ ...odd, ...caller.sample }).replace('{', '{"__proto__": {"status": 500}, ')
    const headers = { 'Content-Type': 'APPLICATION/JSON; charset=utf-8' }
    const answer = await caller.call(caller.path, { body, headers })
    expect({ status: answer.status, body: answer.body }).not.toMatchObject({
      body: { error: { code: 'VALIDATION_ERROR' } },
    })
    expectHeaders(answer)
  })

  when(path.includes('{reg}'))('refuses an agent number of another format [2.1c]', async () => {
    const token = session ? cast.session : cast.reader
    for (const reg of ['REG-2026-0001-0042', 'REG-2026-0001-0042-u', 'AGT-2026-0001-0042-U', '1']) {
      const answer = await api(method, anyPath(path.replace('{reg}', reg)), {
        ...(!isPublic && { token }),
        ...(route.body && { body: { name: 'x', domain: 'example.com', method: 'dns' } }),
      })
      expectRefusal(answer, 400, 'VALIDATION_ERROR', /^reg: /)
    }
  })

  when(path.includes('{'))('refuses odd path parameters [7b]', async () => {
    const caller = await rightfulCaller(h, document, route)
    for (const [placeholder] of path.matchAll(/\{\w+\}/g)) {
      for (const segment of BAD_SEGMENTS) {
        const to = anyPath(path.replace(placeholder, segment))
        const answer = await caller.call(to, caller.sample && { body: caller.sample })
        expect({ to, status: answer.status }).toEqual({
          to,
          status: expect.toSatisfy((s) => s === 400 || s === 404),
        })
        expectHeaders(answer)
      }
    }
  })

  when(method === 'GET')('answers HEAD as GET, without a body', async () => {
    const get = await api('GET', bad)
    const head = await api('HEAD', bad)
    expect(head.status).toBe(get.status)
    expect(head.text).toBe('')
    expectHeaders(head)
  })

  const isPaged = route.parameters.some(({ name }) => name === 'per_page')
  when(isPaged)('begins at page 1 with 20 on a page, and takes at most 50 [4.2q 4.4p 8g]', async () => {
    const caller = await rightfulCaller(h, document, route)
    const page = async (query: string) => (await caller.call(caller.path + query)).body
    expect((await page('')).pagination).toMatchObject({ page: 1, per_page: 20 })
    expect(Object.keys((await page('')).pagination).sort()).toEqual(PAGINATION)
    expect((await page('?per_page=50')).pagination.per_page).toBe(50)
    // The word keeps a search away from the agents of other tests.
    const apart = path === '/agents/search' ? `&specialization=${freshWord()}` : ''
    expect((await page(`?page=77${apart}`)).data).toEqual([])
    for (const query of ['?per_page=51', '?per_page=0', '?page=0', '?page=-1', '?page=x']) {
      expectRefusal(await caller.call(caller.path + query), 400, 'VALIDATION_ERROR', /page: /)
    }
  })

  when(isList(document, route))(
    'refuses query parameters that it does not know, and names those it does',
    async () => {
      const caller = await rightfulCaller(h, document, route)
      const known = route.parameters.filter((one) => one.in === 'query').map(({ name }) => name)
      const rule = known.length > 0 ? `known are ${known.join(', ')}` : 'this list takes none'
      for (const name of ['colour', 'PAGE', 'page[]', 'x'.repeat(4_000)]) {
        const answer = await caller.call(`${caller.path}?${encodeURIComponent(name)}=1`)
        expectRefusal(answer, 400, 'VALIDATION_ERROR')
        expect(answer.body.error.message).toBe(`${name.slice(0, 50)}: unknown query parameter; ${rule}`)
      }
    },
  )

  when(method === 'GET')('takes odd query strings', async () => {
    const caller = await rightfulCaller(h, document, route)
    const declared = route.parameters.filter((parameter) => parameter.in === 'query')
    const queries = [...ODD_QUERIES]
    for (const { name } of declared) {
      queries.push(
        `${name}=1&${name}=2`,
        `${name}`,
        `${name}[]=1`,
        ...ODD_VALUES.map((value) => `${name}=${value}`),
      )
    }
    for (const query of queries) {
      const answer = await caller.call(`${caller.path}?${query}`)
      expect(answer.status, query).toBeLessThan(500)
      expectHeaders(answer)
    }
  })
})

describe.each([...new Set(document.routes.map(({ path }) => path))])('%s', (path) => {
  it('answers other methods with 405 and those it has [7a]', async () => {
    const concrete = anyPath(path)
    const own = document.methodsOf(concrete)
    for (const method of METHODS.filter((one) => !own.includes(one))) {
      const answer = await api(method, concrete)
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED', new RegExp(method))
      const allowed = (answer.headers.get('allow') ?? '')
        .split(', ')
        .filter((one) => !['HEAD', 'OPTIONS'].includes(one))
      expect(allowed.sort()).toEqual(own)
    }
  })
})

describe('an unknown route', () => {
  it.each([
    '/',
    '/nothing',
    '/agents/a/b/c',
    '/operators',
    '/openapi.yaml',
    '/agents//activity',
    '/%zz',
    '/AGENTS',
  ])('answers %s with 404 and counts it [7a]', async (path) => {
    for (const method of METHODS)
      expectRefusal(await api(method, path, { token: cast.session }), 404, 'NOT_FOUND')
  })
})

it('answers 500 in the one error shape, and says nothing of what went wrong [7k]', async () => {
  // A counter that a check of the database keeps from falling: a failure that breaks no part.
  const operator = await h.newOperator()
  const { token } = operator
  const { reg } = await h.newAgent(operator)
  await h.sql('update operators set active_agents = 0 where id = $1', [operator.id])
  const response = await fetch(`${h.base_url}/api/v1/agents/${reg}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Late', status: 'deactivated' }),
  })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: { code: 'INTERNAL_ERROR', message: 'something went wrong on our side', status: 500 },
  })
  expect(response.headers.get('x-ratelimit-limit')).toBe('120')
  expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({ name: 'Scout', status: 'active' })
})

it('serves nothing of the interface outside of /api/v1 [9a]', async () => {
  const { reg } = await h.newAgent(await h.newOperator())
  for (const path of [
    `//agents/${reg}`,
    '//agents/search',
    `//api/agents/${reg}`,
    `//api/v2/agents/${reg}`,
  ]) {
    const { status, body } = await api('GET', path)
    expect({ path, status, body }).toMatchObject({
      path,
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
  }
  expect(document.routes.length).toBeGreaterThan(20)
})
