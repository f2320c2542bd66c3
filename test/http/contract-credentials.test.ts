import { describe, expect, it, vi } from 'vitest'
import {
  anyPath,
  BAD_BEARER,
  expectHeaders,
  expectRejection,
  foreignRejection,
  forgedTokens,
  OTHER_SCHEMES,
  rowsOf,
} from '../support/contract.ts'
import { credentialsKeys, withWrongEnd } from '../support/credentials.ts'
import { expectError, shared } from '../support/harness.ts'
import { accessOf, rightfulCaller } from '../support/rightful.ts'

const MONTH_MS = 31 * 86_400_000

const h = shared()
vi.setConfig({ testTimeout: 180_000 }) // routes are tested in parallel, and some tests make many requests
const { api } = h
const document = await h.openApi()
const keys = await credentialsKeys(h.dir)

// Every route rejects these credentials, so the tests can share them.
const soon = new Date(Date.now() + 3_600_000)
const owner = await h.newOperator()
const signedOut = await h.newOperator({ email: owner.email })
const [key, revoked, expired] = await Promise.all([
  h.newKey(owner),
  h.newKey(owner),
  h.newKey(owner, ['read', 'write', 'activity:report'], { expires_at: soon.toISOString() }),
])
await api('DELETE', '/auth/session', { token: signedOut.token })
await h.sql('update api_keys set revoked_at = now() where id = $1', [revoked.id])

/** Declares a test only for the routes that it applies to. */
const when = (applies: unknown) => (applies ? it : () => undefined)

describe.each(document.routes)('$name', { concurrent: true }, (route) => {
  const { method, path } = route
  const takes = accessOf(route)
  const takesNone = !takes.session && !takes.key
  const bad = anyPath(path)

  it('accepts credentials, unless it is part of the sign-in or tells receivers whose key it is', () => {
    expect(takesNone).toBe(/^\/(auth\/(sign-in|callback)|agent-keys\/.*)$/.test(path))
  })

  when(takes.optional)('ignores Authorization headers that it does not use', async () => {
    const without = await api(method, bad)
    expectHeaders(without)
    for (const Authorization of takesNone ? [...OTHER_SCHEMES, 'Bearer nonsense'] : OTHER_SCHEMES) {
      expect((await api(method, bad, { headers: { Authorization } })).status).toBe(without.status)
    }
  })

  when(!takesNone)('rejects a malformed or forged credential', async () => {
    for (const Authorization of takes.optional ? BAD_BEARER : [...BAD_BEARER, ...OTHER_SCHEMES]) {
      expectRejection(await api(method, bad, { headers: { Authorization } }), 401, 'UNAUTHORIZED')
    }
    for (const token of Object.values(forgedTokens(owner.token, key.key, keys))) {
      expectRejection(await api(method, bad, { token }), 401, 'UNAUTHORIZED')
    }
  })

  when(takes.session)('rejects a session that has ended or expired', async () => {
    expectRejection(await api(method, bad, { token: signedOut.token }), 401, 'UNAUTHORIZED', /session/)
    const now = new Date(Date.now() + MONTH_MS)
    expectRejection(await api(method, bad, { token: owner.token, now }), 401, 'UNAUTHORIZED', /session/)
  })

  when(takes.key)('rejects a key that was revoked or has expired', async () => {
    expectRejection(await api(method, bad, { token: revoked.key }), 401, 'UNAUTHORIZED', /API key/)
    expectRejection(await api(method, bad, { token: expired.key, now: soon }), 401, 'UNAUTHORIZED', /API key/)
  })

  const foreign = takes.optional ? null : foreignRejection(route)
  when(foreign)("rejects another operator's credential", async () => {
    const [mine, theirs] = await Promise.all([
      rightfulCaller(h, document, route),
      rightfulCaller(h, document, route),
    ])
    const before = await rowsOf(h, theirs.owner.id)
    const response = await mine.call(theirs.path, theirs.sample && { body: theirs.sample })
    expectRejection(response, foreign?.status ?? 0, foreign?.code ?? '')
    expect(await rowsOf(h, theirs.owner.id)).toEqual(before)
  })
})

it('a mistyped credential is rejected with a message of its own, after one of a kind that the route does not accept', async () => {
  const mistyped = (kind: string) =>
    new RegExp(`^Authorization: looks like ${kind} but is incomplete or mistyped`)
  const me = await api('GET', '/operators/me', { token: owner.token.slice(0, -1) })
  expectError(me, 401, 'UNAUTHORIZED', mistyped('a session token'))
  const report = (token: string) => api('POST', '/activity/report', { token })
  expectError(await report(withWrongEnd(key.key)), 401, 'UNAUTHORIZED', mistyped('an API key'))
  const another = await report(withWrongEnd(owner.token))
  expectError(another, 401, 'UNAUTHORIZED', /requires an API key \(reg_live_…\), not a session token/)
})
