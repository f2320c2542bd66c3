import type { Schema } from '../document/examples.ts'

/** A property of an object or of a nested object. */
export interface Field {
  /** For example `pagination.page` or `data[].reg`. */
  path: string
  type: string
  isRequired: boolean
  description: string
  /** Other constraints of its value, as text. */
  rules: string[]
}

type Schemas = Record<string, Schema>

/** The constraints of a value besides its type, as text. */
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

/** The fields of a value, in order; those of its variants are merged. */
export function fieldsOf(schema: Schema, schemas: Schemas, prefix = ''): Field[] {
  const { properties = {}, required = [], items, allOf, anyOf, oneOf } = resolved(schema, schemas)
  if (items) return fieldsOf(items, schemas, `${prefix.replace(/\.$/, '')}[].`)
  if (allOf) return allOf.flatMap((part) => fieldsOf(part, schemas, prefix))
  const variants = anyOf ?? oneOf
  if (variants) return mergeVariants(variants.map((one) => fieldsOf(one, schemas, prefix)))
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
    return [field, ...fieldsOf(property, schemas, `${path}.`)]
  })
}

/** The constraints of an array itself; those of its items are added. */
function ownRules({ minItems, maxItems, default: preset }: Schema): Schema {
  return {
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    ...(preset !== undefined && { default: preset }),
  }
}

/** Merges the fields of variants; a field is required only if every variant requires it. */
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
