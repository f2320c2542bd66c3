import { expect, it } from 'vitest'
import { uuidv7 } from '../../src/lib/ids.ts'
import { flowOf } from '../../src/webhooks/outbox/flow.ts'

const operator_id = uuidv7(new Date())
const publication = (changes: Partial<Parameters<typeof flowOf>[0]> = {}) => ({
  delivery_id: uuidv7(new Date()),
  publish_count: 0,
  type: 'trust.updated' as const,
  attempt: 1,
  operator_id,
  tier: 'free' as const,
  webhook_url: 'https://hooks.example.com/a',
  ...changes,
})

it('shares one flow between all platforms of an operator that point to one host', () => {
  const { key } = flowOf(publication())
  for (const webhook_url of [
    'https://hooks.example.com/b?x=1',
    'https://HOOKS.example.com:443/',
    'https://hooks.example.com:8443/c',
  ]) {
    expect(flowOf(publication({ webhook_url })).key).toBe(key)
  }
  expect(flowOf(publication({ webhook_url: 'https://other.example.com/a' })).key).not.toBe(key)
  expect(key).toMatch(/^[\w.-]+$/)
})

it('separates operators, and platforms without a URL', () => {
  const other = flowOf(publication({ operator_id: uuidv7(new Date()) }))
  expect(other.key).not.toBe(flowOf(publication()).key)
  expect(flowOf(publication({ webhook_url: null })).key).toBe(`${operator_id}_none`)
})

it('allows ten parallel requests, and for the lower tiers 600 per minute', () => {
  for (const tier of ['free', 'pro'] as const) {
    expect(flowOf(publication({ tier }))).toMatchObject({ parallelism: 10, rate: 600, period: 60 })
  }
  for (const tier of ['business', 'enterprise'] as const) {
    expect(flowOf(publication({ tier }))).toEqual({ key: expect.any(String), parallelism: 10 })
  }
})
