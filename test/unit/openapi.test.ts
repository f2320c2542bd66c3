import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { isPublicRead } from '../support/step-table.ts'

// Redocly and Spectral judge whether the document is valid, and its examples match (test/stand-ins/openapi-lint.test.ts).

const ROOT = join(import.meta.dirname, '../..')
const document = buildDocument('https://registry.example')

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method} ${path}`,
    path,
    method,
    ...operation,
  })),
)

describe('the document', () => {
  it('has an operationId of several words for each operation', () => {
    for (const { operationId } of operations) expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)+$/)
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
    for (const response of Object.values(document.components.responses)) {
      const { schema, examples } = response.content['application/json']
      expect(Object.keys(examples)).toEqual(schema.properties.error.properties.code.enum)
    }
  })
})

describe.each(operations)('$name', (operation) => {
  const { parameters = [], requestBody, responses } = operation

  it('has a tag, and a summary without a full stop', () => {
    expect(operation.tags).toHaveLength(1)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
  })

  it('has an example of each parameter, of its body, and of each response', () => {
    for (const { name, description, example } of parameters)
      expect({ name, description, example }).toEqual({
        name,
        description: expect.stringMatching(/\w/),
        example: expect.anything(),
      })
    for (const { content } of [requestBody ?? {}, ...Object.values(responses)])
      for (const media of Object.values(content ?? {})) expect(media.example).toBeDefined()
  })

  it('declares the errors of all operations, and those of its kind', () => {
    const statuses = Object.keys(responses)
    const kind = [
      ...(operation.security.length > 0 ? ['401'] : []),
      ...(operation.security.length > 0 && !isPublicRead(operation) ? ['403'] : []),
      ...(requestBody ? ['400', '413', '415'] : []),
      ...(parameters.length > 0 ? ['400'] : []),
    ]
    expect(statuses).toEqual(expect.arrayContaining(['429', '500', '503', ...kind]))
    expect(statuses.some((status) => /^[23]/.test(status) && status !== '304')).toBe(true)
  })
})
