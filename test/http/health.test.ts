import { expect, it } from 'vitest'
import { shared } from '../harness.ts'

const { api, newReporter, report } = shared()

it('says that it lives, without a rate-limit header', async () => {
  const answer = await api('GET', '//health')
  expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
})

it('says which of its parts are ready', async () => {
  const { key, reg } = await newReporter()
  await report(key, reg)
  const { status, headers, body } = await api('GET', '//ready')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  const age = expect.toSatisfy((seconds) => seconds === null || seconds >= 0)
  expect(body).toEqual({
    status: 'ok',
    postgres: 'ok',
    redis: 'ok',
    qstash: 'ok',
    jobs: expect.any(Object),
    oldest_pending_delivery_seconds: age,
    oldest_unscored_agent_seconds: age,
    checked_at: expect.stringMatching(/Z$/),
  })
})
