import { globSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { isPublicRead } from '../support/step-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const document = buildDocument('https://registry.example')
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method} ${path}`,
    path,
    method,
    ...operation,
  })),
)
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** How an example violates the schema at a place of the document; null when it matches. */
function breach(example: unknown, ...pointer: string[]): string | null {
  const validate = ajv.compile({ $ref: `openapi#/${pointer.map(escaped).join('/')}` })
  return validate(example) ? null : ajv.errorsText(validate.errors)
}

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('refers only to components that exist, and has no unused component', () => {
    const text = JSON.stringify(document)
    const refs = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map(
        ([, kind, name]) => `${kind}/${name}`,
      ),
    )
    const held = Object.entries(document.components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    )
    expect([...refs].filter((ref) => !held.includes(ref))).toEqual([])
    expect(
      held.filter((name) => /^(responses|schemas|headers|parameters)/.test(name) && !refs.has(name)),
    ).toEqual([])
  })

  it('has a unique operationId for each operation', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)+$/)
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
    for (const [name, response] of Object.entries(document.components.responses)) {
      const { schema, examples } = response.content['application/json']
      expect(Object.keys(examples)).toEqual(schema.properties.error.properties.code.enum)
      for (const { value } of Object.values(examples)) {
        const at = ['components', 'responses', name, 'content', 'application/json', 'schema']
        expect(breach(value, ...at)).toBeNull()
      }
    }
  })
})

describe.each(operations)('$name', (operation) => {
  const { path, method, parameters = [], requestBody, responses } = operation
  const at = ['paths', path, method]

  it('has a tag, a summary, and security requirements', () => {
    expect(operation.tags).toHaveLength(1)
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0])
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.security).toBeInstanceOf(Array)
  })

  it('describes each parameter, with an example that matches its schema', () => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath)
    for (const [index, { name, description, example }] of parameters.entries()) {
      expect(description, name).toMatch(/\w/)
      expect(breach(example, ...at, 'parameters', String(index), 'schema'), name).toBeNull()
    }
  })

  it('has an example of its body and of each response that matches its schema', () => {
    const contents = [{ content: requestBody?.content, at: [...at, 'requestBody'] }]
    for (const [status, { content }] of Object.entries(responses)) {
      contents.push({ content, at: [...at, 'responses', status] })
    }
    for (const { content, at: place } of contents) {
      for (const [type, media] of Object.entries(content ?? {})) {
        expect(media.example).toBeDefined()
        expect(breach(media.example, ...place, 'content', type, 'schema'), place.join(' ')).toBeNull()
      }
    }
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
