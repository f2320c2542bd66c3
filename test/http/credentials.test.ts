import { it } from 'vitest'
import { withWrongEnd } from '../support/credentials.ts'
import { expectError, shared } from '../support/harness.ts'

const { api, newOperator, newKey } = shared()

it('a mistyped credential is rejected with a message of its own, after one of a kind that the route does not accept', async () => {
  const operator = await newOperator()
  const { key } = await newKey(operator)
  const mistyped = (kind: string) =>
    new RegExp(`^Authorization: looks like ${kind} but is incomplete or mistyped`)
  const me = await api('GET', '/operators/me', { token: operator.token.slice(0, -1) })
  expectError(me, 401, 'UNAUTHORIZED', mistyped('a session token'))
  const report = (token: string) => api('POST', '/activity/report', { token })
  expectError(await report(withWrongEnd(key)), 401, 'UNAUTHORIZED', mistyped('an API key'))
  const another = await report(withWrongEnd(operator.token))
  expectError(another, 401, 'UNAUTHORIZED', /requires an API key \(reg_live_…\), not a session token/)
})
