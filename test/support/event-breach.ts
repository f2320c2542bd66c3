import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { close } from './document.ts'

const ajv = new Ajv2020({ allErrors: true })
addFormats.default(ajv)
const validators = new Map<string, ValidateFunction>(
  describeEventTypes().map(({ type, schema }) => {
    close(schema)
    return [type, ajv.compile(schema)]
  }),
)

/**
 * How an envelope violates the published schema of its type; null if it does not. Objects are closed, so that an
 * additional field is a violation, too.
 */
// biome-ignore lint/suspicious/noExplicitAny: whatever a receiver was sent
export function eventBreach(event: any): string | null {
  const validate = validators.get(event?.type)
  if (!validate) return `no event type: ${JSON.stringify(event?.type)}`
  return validate(event) ? null : ajv.errorsText(validate.errors, { dataVar: event.type })
}
