import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'
import { auditOf } from '../support/platforms.ts'

const h = shared()
const { api, newOperator, newKey } = h

const idOf = ({ token }: Operator) => token.slice(9, 17)
const list = ({ token }: Operator, now?: Date) => api('GET', '/auth/sessions', { token, ...(now && { now }) })
const end = ({ token }: Operator, id: string) => api('DELETE', `/auth/sessions/${id}`, { token })
const isActive = async ({ token }: Operator) => (await api('GET', '/operators/me', { token })).status === 200
const idsOf = async (operator: Operator, now?: Date): Promise<string[]> =>
  (await list(operator, now)).body.data.map(({ id }: Body) => id)

/** Several sessions of one operator, in the order of their sign-ins. */
async function signIn(count: number): Promise<[Operator, Operator, Operator]> {
  const all = [await newOperator()]
  while (all.length < count) all.push(await newOperator({ email: (all[0] as Operator).email }))
  return all as [Operator, Operator, Operator]
}

describe('GET /auth/sessions', () => {
  it('lists the active sessions, newest first, and marks the current one', async () => {
    const [first, second] = await signIn(2)
    const { status, body, headers } = await list(first)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toMatch(/no-store/)
    const shown = (operator: Operator, current: boolean) => ({
      id: idOf(operator),
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      current,
      name: null,
    })
    expect(body).toEqual({
      data: [shown(second, false), shown(first, true)],
      pagination: { page: 1, per_page: 20, total: 2, total_pages: 1 },
    })
    const older = await api('GET', '/auth/sessions?per_page=1&page=2', { token: first.token })
    expect(older.body.data).toEqual([body.data[1]])
    for (const { created_at, expires_at } of body.data) {
      expect(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - 30 * DAY_MS)).toBeLessThan(1_000)
    }
  })

  it('omits ended and expired sessions, and those of other operators', async () => {
    const [first, second, third] = await signIn(3)
    await newOperator()
    await api('DELETE', '/auth/session', { token: second.token })
    expect(await idsOf(first)).toEqual([idOf(third), idOf(first)])
    const late = await newOperator({ email: first.email, now: new Date(Date.now() + 10 * DAY_MS) })
    expect(await idsOf(late, new Date(Date.now() + 31 * DAY_MS))).toEqual([idOf(late)])
  })
})

describe('DELETE /auth/sessions/{id}', () => {
  it('ends only that session, unless it is of another operator, and the audit log contains it once', async () => {
    const [first, second, third] = await signIn(3)
    const stranger = await newOperator()
    const message = RegExp(`you have no session ${idOf(stranger)}`)
    expectError(await end(first, idOf(stranger)), 404, 'NOT_FOUND', message)
    for (let n = 0; n < 2; n++)
      expect(await end(first, idOf(second))).toMatchObject({ status: 204, text: '' })
    const active = await Promise.all([first, second, third, stranger].map(isActive))
    expect(active).toEqual([true, false, true, true])
    expectError(await list(second), 401, 'UNAUTHORIZED', /revoked/)
    expect(await idsOf(first)).toEqual([idOf(third), idOf(first)])
    expect((await end(third, idOf(third))).status).toBe(204) // the current one
    expect(await isActive(third)).toBe(false)
    expect(await auditOf(h, first, 'session.%')).toEqual([
      ...[first, second, third].map((one) => ({ action: 'session.started', target: idOf(one) })),
      ...[second, third].map((one) => ({ action: 'session.ended', target: idOf(one) })),
    ])
  })

  it('records no end of an expired session', async () => {
    const first = await newOperator({ now: new Date(Date.now() - 30 * DAY_MS - HOUR_MS) })
    const second = await newOperator({ email: first.email })
    expect((await end(second, idOf(first))).status).toBe(204)
    expect(await auditOf(h, first, 'session.ended')).toEqual([])
  })
})

const endAll = ({ token }: Operator, query = '') => api('DELETE', `/auth/sessions${query}`, { token })

it('DELETE /auth/sessions ends all sessions, but the current one with keep_current=true, each with an audit entry, and no keys', async () => {
  const [first, second, third] = await signIn(3)
  const [stranger, { key }] = await Promise.all([newOperator(), newKey(first, ['read'])])
  for (let n = 0; n < 2; n++) expect((await endAll(second, '?keep_current=true')).status).toBe(204)
  expect(await Promise.all([first, second, third].map(isActive))).toEqual([false, true, false])
  expect(await endAll(second)).toMatchObject({ status: 204, text: '' })
  expect(await Promise.all([second, stranger].map(isActive))).toEqual([false, true])
  expectError(await endAll(second), 401, 'UNAUTHORIZED', /revoked/)
  expect((await api('GET', '/operators/me/agents', { token: key })).status).toBe(200)
  const ended = await auditOf(h, first, 'session.ended')
  expect(ended.map(({ target }) => target).sort()).toEqual([first, second, third].map(idOf).sort())
  expect(await isActive(await newOperator({ email: first.email }))).toBe(true)
})
