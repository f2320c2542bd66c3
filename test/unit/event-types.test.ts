import { describe, expect, it } from 'vitest'
import { checkMatches } from '../../src/lib/agent-number.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { testData } from '../../src/webhooks/manage/examples.ts'
import { eventBreach } from '../support/event-breach.ts'

describe.each(describeEventTypes())('$type', ({ type, description, schema, example }) => {
  const without = (name: string) =>
    Object.fromEntries(Object.entries(example.data).filter(([field]) => field !== name))

  it('has a JSON Schema (draft 2020-12) for the whole envelope that allows new fields', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: type,
      required: ['id', 'type', 'created_at', 'data'],
      properties: { type: { const: type } },
    })
    expect(JSON.stringify(schema)).not.toContain('additionalProperties')
    expect(description).toMatch(/^[A-Z].*[^.]$/)
  })

  it('has an example that matches, also when it is marked as a test', () => {
    expect(eventBreach(example)).toBeNull()
    expect(testData(type)).toEqual({ ...example.data, test: true })
    expect(eventBreach({ ...example, data: testData(type) })).toBeNull()
  })

  it('requires every field of its data in this version, and no other', () => {
    expect(Object.keys(example.data).length).toBeGreaterThanOrEqual(4)
    for (const name of Object.keys(example.data)) {
      expect(eventBreach({ ...example, data: without(name) }), name).toMatch(`'${name}'`)
      expect(eventBreach({ ...example, data: { ...example.data, [name]: {} } }), name).toMatch(`/${name} `)
    }
    expect(eventBreach({ ...example, data: { ...example.data, surplus: 1 } })).toMatch(/additional/)
    expect(eventBreach({ ...example, data: { ...example.data, test: false } })).toMatch(/test/)
    expect(eventBreach({ ...example, surplus: 1 })).toMatch(/additional/)
    expect(eventBreach({ ...example, id: 'evt_1' })).toMatch(/id/)
  })

  it('has an agent number in its example that is never assigned (0000)', () => {
    const numbers = JSON.stringify(example.data).match(/REG-[\dA-Z-]+/g) ?? []
    expect(numbers).toHaveLength(1)
    for (const number of numbers) {
      expect(number).toMatch(/^REG-\d{4}-\d{4}-0000-.$/)
      expect(checkMatches(number)).toBe(true)
    }
  })
})
