import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { buildDocument } from '../../scripts/document/build.ts'
import { bodyOf, type Endpoint } from '../../src/api/endpoint.ts'
import { endpoints } from '../../src/app.ts'

// Checks every text field of every request body against the rules of src/lib/text.ts, including fields added later.

/** Fields with text for programs or with rules of their own, and why they cannot deceive people. */
const NOT_FOR_PEOPLE: Record<string, string> = {
  reg: 'a pattern',
  slug: 'a pattern',
  platform_slug: 'names a platform that exists, or is a 404',
  event_type: 'names a type for programs; it has no invisible characters',
  domain: 'judged as a domain name by the route',
  webhook_url: 'judged as a URL by the route',
  homepage_url: 'a URL in ASCII',
  card_url: 'a URL in ASCII',
  company_url: 'a URL',
  avatar_url: 'a URL',
  since: 'a time',
  proof: 'a signed JWS, never stored',
}
const JUDGED_BY_ROUTE = ['platform_slug', 'domain', 'webhook_url']

const INVISIBLE = ['\u202e', '\u200b', '\u0007', '\ud800', '\u001b[31m', '\u3164', '\u{e0041}']
const DECEPTIVE = ['pаypal', 'Ωmega', '\ue000', '\u2800', `a${'\u0301'.repeat(9)}`]

interface Property {
  type?: string | string[]
  enum?: unknown[]
  format?: string
  items?: Property
  properties?: Record<string, Property>
}

interface Field {
  name: string
  route: string
  /** The schema's result for a body with this value in the field. */
  judge(value: string): z.ZodSafeParseResult<unknown>
}

const document = buildDocument('https://registry.example')

function fieldsOf(endpoint: Endpoint): Field[] {
  const { method, path } = endpoint
  const body = bodyOf(endpoint)
  if (!body) return []
  const media = document.paths[path]?.[method]?.requestBody?.content?.['application/json']
  const $ref = String(media?.schema.$ref)
  const schema = document.components.schemas[$ref.replace('#/components/schemas/', '')] as Property
  const sample = media?.example as Record<string, unknown>
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isText = (one: Property) =>
      [one.type].flat().includes('string') && !one.enum && one.format !== 'date-time'
    const route = `${method} ${path}`
    if (isText(property)) {
      return [{ name, route, judge: (value: string) => body.safeParse({ ...sample, [name]: value }) }]
    }
    if (property.items && isText(property.items)) {
      return [{ name, route, judge: (value: string) => body.safeParse({ ...sample, [name]: [value] }) }]
    }
    return []
  })
}

const fields = endpoints.flatMap(fieldsOf)

it('the list of text fields for people is complete', () => {
  const names = new Set(fields.map(({ name }) => name))
  expect([...names].filter((name) => !(name in NOT_FOR_PEOPLE)).sort()).toEqual([
    'company_name',
    'description',
    'name',
    'resolution',
    'specializations',
  ])
  expect(Object.keys(NOT_FOR_PEOPLE).filter((name) => !names.has(name))).toEqual([])
})

function expectRejected({ name, judge }: Field, text: string, saying = ''): void {
  const { success, error } = judge(text)
  expect(success, JSON.stringify(text)).toBe(false)
  expect(error?.issues.map(({ path }) => path[0])).toContain(name)
  expect(error?.issues[0]?.message).toContain(saying)
}

const fieldsWhere = (holds: (field: Field) => boolean) =>
  fields.filter(holds).map((field) => [`${field.name} of ${field.route}`, field] as const)

it.each(fieldsWhere(({ name }) => !JUDGED_BY_ROUTE.includes(name)))(
  '%s rejects invisible characters',
  (_, field) => {
    const isNamed = !(field.name in NOT_FOR_PEOPLE) || field.name === 'event_type'
    for (const character of INVISIBLE) {
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      expectRejected(field, `ab${character}c`, isNamed ? `U+${code} at character 3` : '')
    }
  },
)

describe.each(fieldsWhere(({ name }) => !(name in NOT_FOR_PEOPLE)))('%s', (_, field) => {
  it('rejects deceptive text', () => {
    for (const text of DECEPTIVE) expectRejected(field, text)
  })

  it('is stored in NFC', () => {
    const { success, data } = field.judge('Nguyễn'.normalize('NFD'))
    expect(success).toBe(true)
    expect(JSON.stringify(data)).toContain('Nguyễn'.normalize('NFC'))
  })
})
