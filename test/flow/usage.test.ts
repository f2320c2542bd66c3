import { Redis } from '@upstash/redis'
import { afterAll, expect, it } from 'vitest'
import { ownStack } from '../support/harness.ts'

const own = await ownStack()
afterAll(own.stop)

const KEYS = '/operators/me/api-keys'

it('adds each use of a key to its row once', async () => {
  const { operator, key, reg } = await own.newReporter()
  for (let n = 0; n < 5; n++) await own.report(key, reg)
  const shown = async () => (await own.api('GET', KEYS, operator)).body.data[0]
  const folded = async () => {
    await own.cron()
    return (await shown()).requests_count
  }
  await expect.poll(folded).toBe(5)
  await Promise.all([own.cron(), own.cron(), own.cron()])
  expect(await shown()).toMatchObject({ requests_count: 5, last_used_at: expect.stringMatching(/Z$/) })
})

it('continues after a run that was interrupted before it wrote everything', async () => {
  const operator = await own.newOperator()
  const { id } = await own.newKey(operator)
  const redis = new Redis({ url: own.redis_rest_url, token: own.redis_rest_token })
  await redis.hset('usage:folding', { [`requests:${id}`]: 7 })
  await own.cron()
  expect((await own.api('GET', KEYS, operator)).body.data[0]).toMatchObject({
    requests_count: 7,
    last_used_at: null,
  })
  expect(await redis.exists('usage:folding')).toBe(0)
})
