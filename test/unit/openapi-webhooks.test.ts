import type { Schemas } from '@agentreg/client'
import type { WebhookEvent as PackageEvent } from '@agentreg/webhooks'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { EVENT_TYPES } from '../../src/db/enums.ts'
import type { WebhookEvent } from '../../src/webhooks/manage/event-types.ts'
import { EXAMPLE_ID } from '../../src/webhooks/manage/examples.ts'
import { makeWebhookSecret, signatureHeaders } from '../../src/webhooks/relay/sign.ts'

const document = buildDocument('https://registry.example')
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const webhooks = Object.entries(document.webhooks).map(([type, { post }]) => ({ type, ...post }))
const shared = new Map(
  Object.entries(document.components.parameters).map(([name, one]) => [
    `#/components/parameters/${name}`,
    one,
  ]),
)

it('has a webhook for each event type, in the order of the interface', () => {
  expect(webhooks.map(({ type }) => type)).toEqual([...EVENT_TYPES])
})

describe.each(webhooks)('$type', ({ type, parameters, requestBody, responses, security }) => {
  const headers = parameters.map((one) => ('$ref' in one ? shared.get(one.$ref) : one))

  it.each([1, 2])('has exactly the headers of a delivery that is signed with %i secrets', async (count) => {
    const [first = '', ...others] = Array.from({ length: count }, makeWebhookSecret)
    const sent = await signatureHeaders([first, ...others], { id: EXAMPLE_ID, type }, '{}', new Date())
    expect(headers.map((one) => one?.name).sort()).toEqual(Object.keys(sent).sort())
    for (const header of headers) {
      if (!header) throw new Error('refers to no header')
      expect(header).toMatchObject({ in: 'header', required: true, description: expect.stringMatching(/\w/) })
      const fits = ajv.compile(header.schema)
      expect([header.name, fits(sent[header.name]), fits(header.example)]).toEqual([header.name, true, true])
    }
  })

  it('has its own body schema, the only one that its example matches', () => {
    const { schema, example } = requestBody?.content?.['application/json'] ?? { schema: {} }
    expect(example).toMatchObject({ type })
    const others = webhooks.flatMap(
      ({ requestBody }) => requestBody?.content?.['application/json']?.schema ?? [],
    )
    const fitting = others.filter(({ $ref }) => ajv.validate({ $ref: `openapi${$ref}` }, example))
    expect(fitting).toEqual([schema])
    expect(ajv.validate({ $ref: 'openapi#/components/schemas/WebhookEvent' }, example)).toBe(true)
  })

  it('needs no credential, and accepts any 2xx', () => {
    expect(security).toEqual([])
    expect(Object.keys(responses)).toEqual(['410', '2XX', 'default'])
  })
})

it('the generated client has the types of the events that the service writes', () => {
  expectTypeOf<Schemas['WebhookEvent']['type']>().toEqualTypeOf<WebhookEvent['type']>()
  expectTypeOf<Schemas['WebhookEvent']>().toExtend<WebhookEvent>()
})

it('the package for receivers has the same data types as the document', () => {
  type Types = Schemas['WebhookEvent']['type']
  type Defined<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> }
  type DataOf<Event extends { type: string; data: object }> = {
    [Type in Types]: Defined<Extract<Event, { type: Type }>['data']>
  }
  expectTypeOf<PackageEvent['type']>().toEqualTypeOf<Types>()
  expectTypeOf<DataOf<Schemas['WebhookEvent']>>().toExtend<DataOf<PackageEvent>>()
  expectTypeOf<DataOf<PackageEvent>>().toExtend<DataOf<Schemas['WebhookEvent']>>()
  expectTypeOf<Schemas['WebhookEvent']>().toExtend<PackageEvent>()
})
