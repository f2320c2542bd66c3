import { expect, it } from 'vitest'
import { expectError, freshEmail, shared } from '../harness.ts'

const { api, sql, newOperator, newKey, walkToCallback } = shared()

it('makes one operator of an e-mail address that signs in many times at once', async () => {
  const email = freshEmail()
  const walks = await Promise.all(Array.from({ length: 20 }, () => walkToCallback(email)))
  const answers = await Promise.all(
    walks.map(({ path, cookie }) => api('GET', path, { headers: { Cookie: cookie } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ body }) => body.operator.id)).size).toBe(1)
  expect(new Set(answers.map(({ body }) => body.session_token)).size).toBe(20)
  expect(await sql('select 1 from operators where email = $1', [email])).toHaveLength(1)
  const [first, last] = [answers[0], answers.at(-1)].map((answer) => answer?.body.session_token as string)
  expect((await api('GET', '/operators/me', { token: first ?? '' })).status).toBe(200)
  expect((await api('GET', '/operators/me', { token: last ?? '' })).status).toBe(200)
})

it('opens one session for a callback that comes twenty times at once', async () => {
  const email = freshEmail()
  const { path, cookie } = await walkToCallback(email)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api('GET', path, { headers: { Cookie: cookie } })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(19)
})

it('serves nobody with a session from the moment at which its sign-out was answered', async () => {
  const { token } = await newOperator()
  let signedOut = Number.POSITIVE_INFINITY
  const calls = Array.from({ length: 60 }, async (_, n) => {
    if (n === 20) {
      const answer = await api('DELETE', '/auth/session', { token })
      expect(answer.status).toBe(204)
      signedOut = performance.now()
      return null
    }
    await Promise.resolve()
    const began = performance.now()
    const { status } = await api('GET', '/operators/me', { token })
    return { began, status }
  })
  const before = await Promise.all(calls)
  const after = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const began = performance.now()
      return { began, status: (await api('GET', '/operators/me', { token })).status }
    }),
  )
  for (const call of [...before, ...after]) {
    if (call && call.began > signedOut) expect(call.status).toBe(401)
    else if (call) expect([200, 401]).toContain(call.status)
  }
  expect(after.every(({ status }) => status === 401)).toBe(true)
})

it('signs out once for all who ask at once', async () => {
  const { token, id } = await newOperator()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api('DELETE', '/auth/session', { token })),
  )
  for (const { status } of answers) expect([204, 401]).toContain(status)
  expect(answers.some(({ status }) => status === 204)).toBe(true)
  expect(
    await sql('select 1 from sessions where operator_id = $1 and ended_at is not null', [id]),
  ).toHaveLength(1)
  expectError(await api('GET', '/operators/me', { token }), 401, 'UNAUTHORIZED')
})

it('gives twenty keys made at once twenty prefixes and secrets', async () => {
  const operator = await newOperator()
  const second = await newOperator({ email: operator.email })
  const keys = await Promise.all(Array.from({ length: 20 }, (_, n) => newKey(n % 2 ? operator : second)))
  expect(new Set(keys.map(({ key_prefix }) => key_prefix)).size).toBe(20)
  expect(new Set(keys.map(({ key }) => key)).size).toBe(20)
})
