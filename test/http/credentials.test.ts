import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { credentialsKeys, withCheck, withWrongEnd } from '../support/credentials.ts'
import { expectError, type Operator, shared } from '../support/harness.ts'

const h = shared()
const { api, newOperator, newKey } = h
const newSecret = () => randomBytes(32).toString('base64')

describe('a mistyped credential', () => {
  it.each([
    ['incomplete', (token: string) => token.slice(0, -1)],
    ['with a check made under another key', (token: string) => withCheck(token.slice(0, -8), [newSecret()])],
  ])('is rejected with a message of its own: %s', async (_, mistake) => {
    const operator = await newOperator()
    const { key } = await newKey(operator)
    const mistyped = (kind: string) =>
      new RegExp(`^Authorization: looks like ${kind} but is incomplete or mistyped`)
    const me = await api('GET', '/operators/me', { token: mistake(operator.token) })
    expectError(me, 401, 'UNAUTHORIZED', mistyped('a session token'))
    const report = await api('POST', '/activity/report', { token: mistake(key) })
    expectError(report, 401, 'UNAUTHORIZED', mistyped('an API key'))
  })

  it('of a kind that the route does not accept is rejected for its kind first', async () => {
    const { token } = await newOperator()
    const response = await api('POST', '/activity/report', { token: withWrongEnd(token) })
    expectError(response, 401, 'UNAUTHORIZED', /requires an API key \(reg_live_…\), not a session token/)
  })
})

describe('a rotation of CREDENTIALS_KEY', () => {
  const me = (at: { api: typeof api }, { token }: Operator) => at.api('GET', '/operators/me', { token })

  it('keeps the credentials of every listed key valid, and ends those of a removed key', async () => {
    const [old = ''] = await credentialsKeys(h.dir)
    const next = newSecret()
    const operator = await newOperator()
    const key = (await newKey(operator, ['read'])).key as string
    const [both, after] = await Promise.all([
      h.variant({ CREDENTIALS_KEY: `${next},${old}` }),
      h.variant({ CREDENTIALS_KEY: next }),
    ])
    try {
      expect((await me(both, operator)).status).toBe(200)
      expect((await both.api('GET', '/operators/me/agents', { token: key })).status).toBe(200)
      const body = { name: 'k', permissions: ['read'] }
      const made = await both.api('POST', '/operators/me/api-keys', { token: operator.token, body })
      const newer = made.body.key as string
      expect(newer).toBe(withCheck(newer.slice(0, -8), [next]))
      for (const at of [both, after]) {
        expect((await at.api('GET', '/operators/me/agents', { token: newer })).status).toBe(200)
      }
      expectError(await me(after, operator), 401, 'UNAUTHORIZED', /mistyped/)
      // A Worker with only the old key rejects it, so a new key must be listed before it signs.
      expectError(await api('GET', '/operators/me/agents', { token: newer }), 401, 'UNAUTHORIZED', /mistyped/)
    } finally {
      await Promise.all([both.stop(), after.stop()])
    }
  })
})
