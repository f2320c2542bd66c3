import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { isPublicRead } from '../support/step-table.ts'

// Redocly judges whether the document is valid, and its examples match (test/stand-ins/openapi-lint.test.ts).

const ROOT = join(import.meta.dirname, '../..')
const { paths, webhooks, components } = buildDocument('https://registry.example')

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method} ${path}`,
    path,
    method,
    ...operation,
  })),
)

/** The paths of all fields below a part of the document that have no description. */
function bareFields(part: unknown, place: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  const fields = 'properties' in part ? Object.entries(part.properties as object) : []
  const bare = fields.filter(([, field]) => !field.$ref && !field.description)
  const inner = Object.entries(part).filter(([name]) => name !== 'example' && name !== 'examples')
  return [
    ...bare.map(([name]) => `${place}.${name}`),
    ...inner.flatMap(([name, value]) => bareFields(value, `${place}.${name}`)),
  ]
}

describe('the document', () => {
  it('describes every operation, every schema, and every field of every body', () => {
    const described = {
      ...components.schemas,
      ...Object.fromEntries(operations.map((one) => [one.name, one])),
    }
    for (const [name, { description }] of Object.entries(described)) expect(description, name).toMatch(/\w/)
    expect(bareFields({ paths, webhooks, components: { ...components, responses: {} } }, '')).toEqual([])
  })

  it.each(globSync('src/**/responses.ts', { cwd: ROOT }))(
    'has an operation for each entry of %s',
    async (path) => {
      const { responses = {} }: { responses?: object } = await import(join(ROOT, path))
      const ids = operations.map(({ operationId }) => operationId)
      expect(Object.keys(responses).filter((id) => !ids.includes(id))).toEqual([])
    },
  )

  it('has an example for each code of each shared error response', () => {
    for (const response of Object.values(components.responses)) {
      const { schema, examples } = response.content['application/json']
      expect(Object.keys(examples)).toEqual(schema.properties.error.properties.code.enum)
    }
  })
})

describe.each(operations)('$name', (operation) => {
  const { parameters = [], requestBody, responses } = operation

  it('has an example of each parameter, and of its bodies, which have named schemas for generated types', () => {
    for (const { name, description, example } of parameters)
      expect({ name, description, example }).toEqual({
        name,
        description: expect.stringMatching(/\w/),
        example: expect.anything(),
      })
    for (const { content } of [requestBody ?? {}, ...Object.values(responses)])
      for (const { example, schema } of Object.values(content ?? {})) {
        expect(example).toBeDefined()
        for (const { $ref } of schema.allOf ?? [schema]) expect($ref).toBeDefined()
      }
  })

  it('declares a success, the errors of all operations, and those of its kind', () => {
    const kind = [
      ...(operation.security.length > 0 ? ['401'] : []),
      ...(operation.security.length > 0 && !isPublicRead(operation) ? ['403'] : []),
      ...(requestBody ? ['400', '413', '415'] : []),
      ...(parameters.length > 0 ? ['400'] : []),
    ]
    expect(Object.keys(responses)).toContainEqual(expect.stringMatching(/^[23]/))
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['429', '500', '503', ...kind]))
  })
})
