import type { Schemas } from '@agentreg/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { EVENT_TYPES, type EventType } from '../../src/db/enums.ts'
import { checkMatches } from '../../src/lib/agent-number.ts'
import { makeWebhookSecret, signatureHeaders } from '../../src/lib/webhook-signature.ts'
import { DIMENSIONS } from '../../src/trust/dimensions.ts'
import { WEIGHTS_PERCENT } from '../../src/trust/score.ts'
import { describeEventTypes, type WebhookEvent } from '../../src/webhooks/manage/event-types.ts'
import { EXAMPLE_ID, EXAMPLES, testData } from '../../src/webhooks/manage/examples.ts'
import { eventBreach } from '../support/event-breach.ts'

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

it('the document has a webhook for each event type, in the order of the interface', () => {
  expect(webhooks.map(({ type }) => type)).toEqual([...EVENT_TYPES])
})

describe.each(webhooks)('$type in the document', ({ type, parameters, requestBody }) => {
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
    const all = webhooks.flatMap(
      ({ requestBody }) => requestBody?.content?.['application/json']?.schema ?? [],
    )
    const fitting = all.filter(({ $ref }) => ajv.validate({ $ref: `openapi${$ref}` }, example))
    expect(fitting).toEqual([schema])
    expect(ajv.validate({ $ref: 'openapi#/components/schemas/WebhookEvent' }, example)).toBe(true)
  })
})

describe.each(describeEventTypes())('$type', ({ type, schema, example }) => {
  it('has a JSON Schema (draft 2020-12) for the whole envelope that allows new fields', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: type,
      required: ['id', 'type', 'created_at', 'data'],
      properties: { type: { const: type } },
    })
    expect(JSON.stringify(schema)).not.toContain('additionalProperties')
  })

  it('has an example that matches, also when it is marked as a test', () => {
    expect(eventBreach(example)).toBeNull()
    expect(testData(type)).toEqual({ ...example.data, test: true })
    expect(eventBreach({ ...example, data: testData(type) })).toBeNull()
  })

  it('requires every field of its data', () => {
    for (const [name, value] of Object.entries(example.data)) {
      const without = { ...example.data, [name]: undefined }
      expect(eventBreach({ ...example, data: JSON.parse(JSON.stringify(without)) }), `${value}`).toMatch(name)
      expect(eventBreach({ ...example, data: { ...example.data, [name]: {} } }), name).toMatch(`/${name} `)
    }
    expect(eventBreach({ ...example, data: { ...example.data, test: false } })).toMatch(/test/)
    expect(eventBreach({ ...example, id: 'evt_1' })).toMatch(/id/)
  })

  it('has an agent number in its example that is never assigned (0000)', () => {
    const [number = '', ...others] = JSON.stringify(example.data).match(/REG-[\dA-Z-]+/g) ?? []
    expect(others).toEqual([])
    expect(number).toMatch(/^REG-\d{4}-\d{4}-0000-.$/)
    expect(checkMatches(number)).toBe(true)
  })
})

it.each<[EventType, field: string, accepted: unknown[], rejected: unknown[]]>([
  ['agent.updated', 'changed', [['name']], [[]]],
  ['agent.updated', 'tasks_completed', [0], [-1]],
  ['trust.updated', 'new_score', [0, 100], [-0.1, 100.1]],
  ['trust.updated', 'truncated', [true], [false]],
  ['trust.threshold_crossed', 'threshold', [40, 60, 80], [50]],
  ['incident.created', 'truncated', [true], [false]],
  ['operator.kyc_verified', 'regs', [], [[]]],
  ['operator.kyc_verified', 'truncated', [true], [false]],
])('%s limits %s', (type, field, accepted, rejected) => {
  const { example } = describeEventTypes().find((one) => one.type === type) ?? {}
  const breach = (value: unknown) => eventBreach({ ...example, data: { ...example?.data, [field]: value } })
  expect(accepted.map(breach)).toEqual(accepted.map(() => null))
  for (const value of rejected) expect(breach(value), `${value}`).toMatch(`/${field} `)
})

it('the examples of a changed score fit each other and the weights of the dimensions', () => {
  const { dimensions, ...scores } = EXAMPLES['trust.updated']
  const weighted = DIMENSIONS.map((name) => dimensions[name] * WEIGHTS_PERCENT[name])
  expect(Math.round(weighted.reduce((sum, one) => sum + one) / 10) / 10).toBe(scores.new_score)
  const { threshold, direction, ...crossing } = EXAMPLES['trust.threshold_crossed']
  expect(crossing).toEqual(scores)
  expect([direction, scores.previous_score < threshold, threshold < scores.new_score]).toEqual([
    'up',
    true,
    true,
  ])
})

it('the generated client has the types of the events that are sent', () => {
  expectTypeOf<Schemas['WebhookEvent']['type']>().toEqualTypeOf<WebhookEvent['type']>()
  expectTypeOf<Schemas['WebhookEvent']>().toExtend<WebhookEvent>()
})
