import { expect, it } from 'vitest'
import { eventBreach } from '../support/event-breach.ts'
import { shared } from '../support/harness.ts'

const { api } = shared()

const TYPES = [
  'agent.registered',
  'agent.updated',
  'agent.deactivated',
  'agent.ownership_verified',
  'trust.updated',
  'trust.threshold_crossed',
  'incident.created',
  'incident.resolved',
  'operator.kyc_verified',
]

it('shows anybody the nine types, each with a schema and an example of its envelope', async () => {
  const { status, body } = await api('GET', '/event-types')
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data'])
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual(TYPES)
  for (const { type, description, schema, example } of body.data) {
    expect(description).toMatch(/\w+ \w+/)
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema.properties.type.const).toBe(type)
    expect(Object.keys(example).sort()).toEqual(['created_at', 'data', 'id', 'type'])
    expect(eventBreach(example)).toBeNull()
  }
})

it('may be kept for a moment and read by web pages, as other public reads', async () => {
  const headers = { Origin: 'https://page.example' }
  const first = await api('GET', '/event-types', { headers })
  expect(first.headers.get('cache-control')).toBe('public, max-age=10')
  expect(first.headers.get('access-control-allow-origin')).toBe('*')
  const etag = first.headers.get('etag') ?? ''
  const again = await api('GET', '/event-types', { headers: { ...headers, 'If-None-Match': etag } })
  expect([again.status, again.text]).toEqual([304, ''])
})
