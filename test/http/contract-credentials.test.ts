import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  anyPath,
  expectHeaders,
  expectRefusal,
  foreignRefusal,
  forgedTokens,
  NOT_BEARER,
  otherPermissions,
  rowsOf,
} from '../support/contract.ts'
import { credentialsKeys } from '../support/credentials.ts'
import { shared } from '../support/harness.ts'
import { accessOf, rightfulCaller } from '../support/rightful.ts'

const MONTH_MS = 31 * 86_400_000

const h = shared()
vi.setConfig({ testTimeout: 180_000 }) // routes run side by side, and some make many calls
const { api } = h
const document = await h.openApi()
const keys = await credentialsKeys(h.dir)

// Nobody in this cast is let in anywhere, so that what they share cannot matter.
const cast = {
  session: '',
  key: '',
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
  const [key, revoked, expired, barredKey] = await Promise.all([
    h.newKey(owner),
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
})
