import { createClient, type Schemas } from '@agentreg/client'
import { expectTypeOf, it } from 'vitest'

// `tsc` checks that programs of users compile, and that the marked lines do not.

const client = createClient({ baseUrl: 'https://registry.example', fetch: async () => Response.json({}) })

it('distinguishes the shapes of a trust score, a challenge, and an event by one field', () => {
  const score = {} as Schemas['AnyTrustScore']
  // @ts-expect-error: not every shape has a score
  void score.overall
  if (!('status' in score)) expectTypeOf(score.overall).toBeNumber()
  if ('weights' in score) expectTypeOf(score.weights.accuracy).toBeNumber()
  const challenge = {} as Schemas['OwnershipChallenge']
  // @ts-expect-error: the proof by a file has no record
  void challenge.record_name
  if (challenge.method === 'dns') expectTypeOf(challenge.record_name).toBeString()
  type Event = Schemas['WebhookEvent']
  expectTypeOf<Extract<Event, { type: 'trust.updated' }>['data']['new_score']>().toBeNumber()
  expectTypeOf<Extract<Event, { type: 'operator.kyc_verified' }>['data']['regs']>().toEqualTypeOf<string[]>()
  expectTypeOf<Extract<Event, { type: 'incident.resolved' }>['data']['resolution']>().toBeString()
})

it('knows the paths, bodies and parameters of the document', async () => {
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
})
