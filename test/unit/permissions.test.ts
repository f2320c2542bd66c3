import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { endpoints } from '../../src/app.ts'
import { newKeyFields } from '../../src/console/keys/form.ts'
import { PERMISSIONS } from '../../src/db/enums.ts'

const { components } = buildDocument('https://registry.example')
const guide = readFileSync(new URL('../../docs/use/api.md', import.meta.url), 'utf8')
const form = String(newKeyFields(PERMISSIONS, 60))

it('the permission write is described as what it allows, nothing more', () => {
  const allowed = endpoints.filter(
    ({ access }) => 'permissions' in access && access.permissions.includes('write'),
  )
  expect(allowed.map(({ operationId }) => operationId)).toEqual([
    'reportActivity',
    'reportActivityBatch',
    'resolveIncident',
  ])
  for (const text of [components.securitySchemes.key.description, guide, form]) {
    expect(text).toMatch(/write\b.{0,3}report events and resolve incidents/)
    expect(text).toMatch(/agents, keys, platforms, and the account.{0,30} session/)
  }
})
