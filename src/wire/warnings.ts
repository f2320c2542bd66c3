import * as z from 'zod'

export const WARNING_CODES = ['near_miss', 'unused', 'bad_value'] as const

/** A probable mistake in the body of a request that took effect nevertheless. */
export interface Warning {
  /** near_miss: similar to a name that counts; unused: has no effect here; bad_value: the score cannot use the value. */
  code: (typeof WARNING_CODES)[number]
  /** Path in the body, such as `metadata.duration`. */
  field: string
  message: string
}

const WARNINGS_MAX = 5
const NAME_MAX = 50

/** The field `warnings` of a response: the first five; no field if there are none. */
export function toWarnings(found: Iterable<Warning>): { warnings?: Warning[] } {
  const warnings: Warning[] = []
  for (const warning of found) if (warnings.push(warning) === WARNINGS_MAX) break
  return warnings.length > 0 ? { warnings } : {}
}

/** Warns about each field of a valid body, or of an object in it, that the schema does not have. */
export function* unknownFields(schema: z.ZodType, body: unknown, path = ''): Generator<Warning> {
  const object = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  if (!(object instanceof z.ZodObject)) return
  const known: Record<string, z.ZodType> = object.shape
  for (const [name, value] of Object.entries(body ?? {})) {
    if (Object.hasOwn(known, name)) {
      if (typeof value === 'object') yield* unknownFields(known[name] as z.ZodType, value, `${path}${name}.`)
    } else {
      const field = path + name.slice(0, NAME_MAX).toWellFormed()
      const message = `is ignored: unknown field; supported: ${Object.keys(known).join(', ')}`
      yield { code: 'unused', field, message }
    }
  }
}
