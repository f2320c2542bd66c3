/** The part of JSON schema that examples and the reference need. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  example?: unknown
  const?: unknown
  default?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

/**
 * An example of a schema: its own, else one built from its parts; optional parts without an example are omitted.
 *
 * @param schemas the named schemas
 * @returns undefined if a required part has no example
 */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.example !== undefined) return schema.example
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, schemas)))
  const first = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (first) return exampleOf(first, schemas)
  if (schema.enum) return schema.enum[0]
  if (schema.properties) {
    const shown = Object.entries(schema.properties).filter(
      ([name, part]) => schema.required?.includes(name) || part.example !== undefined,
    )
    return Object.fromEntries(shown.map(([name, part]) => [name, exampleOf(part, schemas)]))
  }
  if (schema.items) {
    const item = exampleOf(schema.items, schemas)
    return item === undefined ? undefined : [item]
  }
  return undefined
}
