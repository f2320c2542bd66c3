import { createClient, type Schemas } from '@agentreg/client'
import { expect, it } from 'vitest'

// A program as users write it: `tsc` checks that it compiles, and that the marked lines do not.

const reg = 'REG-2026-0001-0042-U'
const path = { reg }

/** A client of a service that returns this response to every request. */
function clientOf(response: unknown) {
  return createClient({ baseUrl: 'https://registry.example', fetch: async () => Response.json(response) })
}

it('distinguishes the three shapes of a trust score', async () => {
  const shown = async (response: Schemas['AnyTrustScore']) => {
    const { data } = await clientOf(response).GET('/agents/{reg}/trust-score', { params: { path } })
    if (!data) return null
    // @ts-expect-error: not every shape has a score
    void data.overall
    if ('status' in data) return data.message
    if ('weights' in data) return data.weights.accuracy
    // @ts-expect-error: a score that is not explained has no weights
    void data.weights
    return data.overall
  }
  expect(await shown({ reg, status: 'insufficient_data', message: '4 more needed' })).toBe('4 more needed')
  // @ts-expect-error: `status` has one value
  await shown({ reg, status: 'ok', message: '' })
})

it('distinguishes the challenges of a domain by their method', async () => {
  const shown = (challenge: Schemas['OwnershipChallenge']) => {
    // @ts-expect-error: the proof by a file has no record
    void challenge.record_name
    return challenge.method === 'dns' ? challenge.record_name : challenge.content.token
  }
  const http = { method: 'http', domain: 'a.example', url: 'https://a.example', expires_at: '' } as const
  expect(shown({ ...http, content: { reg, token: 't' } })).toBe('t')
  // @ts-expect-error: a file has content
  expect(() => shown(http)).toThrow()
})

it('distinguishes webhook events and their data by their type', () => {
  const shown = (event: Schemas['WebhookEvent']) => {
    // @ts-expect-error: not every event is about a score
    void event.data.new_score
    switch (event.type) {
      case 'trust.updated':
        return event.data.new_score
      case 'operator.kyc_verified':
        return event.data.regs.length
      // @ts-expect-error: there is no such type
      case 'agent.deleted':
        return null
      default:
        return event.type
    }
  }
  const about = { id: 'evt_1', created_at: '2026-11-21T10:00:00.000Z' }
  const reported = { reported_by: 'operator', source: 'self', platform: null } as const
  const data = {
    incident_id: '1',
    reg,
    title: 'Down',
    severity: 'error',
    ...reported,
    description: '',
  } as const
  expect(shown({ ...about, type: 'incident.created', data: { ...data, status: 'open' } })).toBe(
    'incident.created',
  )
  // @ts-expect-error: a resolved incident says how it was resolved
  shown({ ...about, type: 'incident.resolved', data: { ...data, status: 'resolved' } })
})

it('knows the paths, bodies and parameters of the document', async () => {
  const client = clientOf({})
  await client.POST('/agents', { body: { name: 'Invoice Reader', class: 'A' } })
  // @ts-expect-error: an agent has a class
  await client.POST('/agents', { body: { name: 'Invoice Reader' } })
  // @ts-expect-error: there are three classes
  await client.POST('/agents', { body: { name: 'Invoice Reader', class: 'B' } })
  // @ts-expect-error: agents are searched, not listed
  await client.GET('/agents')
  // @ts-expect-error: a page has a number
  await client.GET('/agents/search', { params: { query: { page: 'first' } } })
  // @ts-expect-error: there is no such permission
  await client.POST('/operators/me/api-keys', { body: { name: 'k', permissions: ['admin'] } })
  const { data } = await client.POST('/operators/me/api-keys', { body: { name: 'k', permissions: ['read'] } })
  // @ts-expect-error: only the creation of a key returns it, and it may have failed
  expect(data.key).toBeUndefined()
})
