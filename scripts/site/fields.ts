import type { Schema } from '../document/examples.ts'

/** A property of an object, or of one inside it. */
export interface Field {
  /** Where it is: `pagination.page`, `data[].reg`. */
  path: string
  type: string
  isRequired: boolean
  description: string
  /** What else its value must keep, in words. */
  rules: string[]
}

/** One of the shapes that a value may have; it has no name where it is the only one. */
export interface Shape {
  name: string | null
  fields: Field[]
}

type Schemas = Record<string, Schema>

const DEPTH_MAX = 6

/** The shapes of a value, each with all its fields in their order. */
export function shapesOf(schema: Schema, schemas: Schemas): Shape[] {
  const variants = schema.anyOf ?? schema.oneOf
  if (!variants) return [{ name: null, fields: fieldsOf(schema, schemas) }]
  return variants.map((variant, n) => ({
    name: nameOf(variant) ?? `Variant ${n + 1}`,
    fields: fieldsOf(variant, schemas),
  }))
}

/** What a value must keep in addition to its type, in words. */
export function rulesOf(schema: Schema): string[] {
  const { enum: values, pattern, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  return [
    ...(schema.const === undefined ? [] : [`Always \`${schema.const}\``]),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(rulesOf),
    ...(values ? [`One of ${values.map((value) => `\`${value}\``).join(', ')}`] : []),
    ...range(minLength || undefined, maxLength, 'characters'),
    ...range(minimum, most, ''),
    ...range(minItems || undefined, maxItems, 'items'),
    ...(pattern ? [`Pattern \`${pattern}\``] : []),
    ...(schema.default === undefined ? [] : [`Default \`${JSON.stringify(schema.default)}\``]),
  ]
}

/** The type of a value: `string`, `array of object`, `integer or null`. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  const { type, format, items, anyOf, oneOf } = resolved(schema, schemas)
  const variants = anyOf ?? oneOf
  if (variants) return [...new Set(variants.map((variant) => typeOf(variant, schemas)))].join(' or ')
  const types = [type ?? 'any'].flat().map((one) => {
    if (one === 'array' && items) return `array of ${typeOf(items, schemas)}`
    return one === 'string' && format ? format : one
  })
  return types.join(' or ')
}

function fieldsOf(schema: Schema, schemas: Schemas, prefix = '', depth = 0): Field[] {
  const { properties = {}, required = [], items, anyOf, oneOf } = resolved(schema, schemas)
  if (depth > DEPTH_MAX) return []
  if (items) return fieldsOf(items, schemas, `${prefix.replace(/\.$/, '')}[].`, depth + 1)
  const variants = anyOf ?? oneOf
  if (variants) return mergeVariants(variants.map((one) => fieldsOf(one, schemas, prefix, depth + 1)))
  return Object.entries(properties).flatMap(([name, property]) => {
    const whole = resolved(property, schemas)
    const path = prefix + name
    const field = {
      path,
      type: typeOf(property, schemas),
      isRequired: required.includes(name),
      description: property.description ?? whole.description ?? '',
      rules: rulesOf(whole.items ? { ...resolved(whole.items, schemas), ...ownRules(whole) } : whole),
    }
    return [field, ...fieldsOf(property, schemas, `${path}.`, depth + 1)]
  })
}

/** Of an array its own limits count, and the values that its items may have. */
function ownRules({ minItems, maxItems, default: preset }: Schema): Schema {
  return {
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    ...(preset !== undefined && { default: preset }),
  }
}

/** A field that not every variant has is not always there. */
function mergeVariants(variants: Field[][]): Field[] {
  const byPath = new Map<string, Field>()
  for (const field of variants.flat()) {
    const isEverywhere = variants.every((fields) =>
      fields.some(({ path, isRequired }) => path === field.path && isRequired),
    )
    if (!byPath.has(field.path)) byPath.set(field.path, { ...field, isRequired: isEverywhere })
  }
  return [...byPath.values()]
}

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  const of = unit && ` ${unit}`
  if (least !== undefined && most !== undefined) return [`${count(least)} to ${count(most)}${of}`]
  if (most !== undefined) return [`At most ${count(most)}${of}`]
  return least ? [`At least ${count(least)}${of}`] : []
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref ? (schemas[nameOf(schema) ?? ''] ?? {}) : schema
}

function nameOf({ $ref }: Schema): string | null {
  return $ref?.split('/').at(-1) ?? null
}
