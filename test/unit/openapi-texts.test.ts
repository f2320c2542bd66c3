import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'

const document = buildDocument('https://registry.example')
const { info, paths, webhooks, components, externalDocs, servers } = document

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

it('describes every field of every body', () => {
  expect(bareFields({ paths, webhooks, components: { ...components, responses: {} } }, '')).toEqual([])
})

it('describes every named schema', () => {
  const bare = Object.entries(components.schemas).filter(([, { description }]) => !description)
  expect(bare.map(([name]) => name)).toEqual([])
})

it('describes every operation beyond its summary', () => {
  const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
    Object.values(item),
  )
  expect(operations.filter(({ description }) => !description).map(({ operationId }) => operationId)).toEqual(
    [],
  )
})

it('has a named schema for every body, so that generated types have names', () => {
  const unnamed = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, requestBody, responses }) =>
      [requestBody ?? {}, ...Object.values(responses)].flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ schema }) =>
          (schema.allOf ?? [schema]).every(({ $ref }) => $ref) ? [] : [operationId],
        ),
      ),
    ),
  )
  expect(unnamed).toEqual([])
})

it('has the URL of the service, a contact, and a link to the documentation', () => {
  expect(servers).toEqual([{ url: 'https://registry.example/api/v1' }])
  expect(info.contact).toEqual({
    name: 'The administrator of this registry',
    url: 'https://registry.example/docs',
  })
  expect(externalDocs.url).toBe('https://registry.example/docs')
})

it('names a license exactly if the repository has one', () => {
  const isGranted = !info.license.identifier.startsWith('LicenseRef-')
  expect(isGranted).toBe(existsSync(new URL('../../LICENSE', import.meta.url)))
})
