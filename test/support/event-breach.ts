import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import type { Schema } from './document.ts'

const ajv = new Ajv2020({ allErrors: true })
addFormats.default(ajv)
const schemas = new Map<string, Schema>(describeEventTypes().map(({ type, schema }) => [type, schema]))
const validators = new Map<string, ValidateFunction>()

/**
 * How an envelope violates the published schema of its type; null if it does not. Objects are closed, so that an
 * additional field is a violation, too.
 */
// biome-ignore lint/suspicious/noExplicitAny: whatever a receiver was sent
export function eventBreach(event: any): string | null {
  const validate = validatorOf(event?.type)
  if (!validate) return `no event type: ${JSON.stringify(event?.type)}`
  return validate(event) ? null : ajv.errorsText(validate.errors, { dataVar: event.type })
}

function validatorOf(type: string): ValidateFunction | undefined {
  const schema = schemas.get(type)
  if (schema && !validators.has(type)) validators.set(type, ajv.compile(closed(schema)))
  return validators.get(type)
}

function closed(schema: Schema): Schema {
  if (schema.items) return { ...schema, items: closed(schema.items) }
  if (!schema.properties) return schema
  const parts = Object.entries(schema.properties).map(([name, part]) => [name, closed(part)])
  return { ...schema, properties: Object.fromEntries(parts), additionalProperties: false }
}
