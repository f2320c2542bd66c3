import { expect, it } from 'vitest'
import { uuidv7 } from '../../src/lib/ids.ts'
import { flowOf } from '../../src/webhooks/outbox/flow.ts'

const operator_id = uuidv7(new Date())
const flow = (changes: Partial<Parameters<typeof flowOf>[0]> = {}) =>
  flowOf({ operator_id, tier: 'free', host: 'hooks.example.com', ...changes })

it('separates operators, hosts, and platforms without a URL', () => {
  const others = [{ operator_id: uuidv7(new Date()) }, { host: 'other.example.com' }, { host: null }]
  const keys = [flow(), ...others.map(flow)].map(({ key }) => key)
  expect(new Set(keys).size).toBe(4)
  for (const key of keys) expect(key).toMatch(/^[\w.-]+$/)
})

it('allows ten parallel requests, and for the lower tiers 600 per minute', () => {
  for (const tier of ['free', 'pro'] as const) {
    expect(flow({ tier })).toMatchObject({ parallelism: 10, rate: 600, period: 60 })
  }
  for (const tier of ['business', 'enterprise'] as const) {
    expect(flow({ tier })).toEqual({ key: expect.any(String), parallelism: 10 })
  }
})
