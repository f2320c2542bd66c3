import { z } from '@hono/zod-openapi'
import { REG_PATTERN } from '../agents/number.ts'
import { codePoints, isStorable } from '../lib/text.ts'

function requiredText(issue: { input?: unknown }): string {
  if (issue.input === undefined) return 'required'
  return Array.isArray(issue.input) ? 'must be one text, given once' : 'must be a string'
}

/** A query parameter, given once. */
export function queryParam<const Name extends string>(name: Name, max: number) {
  return textField(max).openapi({ param: { name, in: 'query' } })
}

/** A text of `min` to `max` code points that Postgres can store. */
export function textField(max: number, min = 1) {
  return z
    .string({ error: requiredText })
    .refine((text) => codePoints(text) <= max, `at most ${max} characters`)
    .refine((text) => text.trim().length > 0 || min === 0, 'must not be empty')
    .refine(isStorable, 'must not contain NUL or half a surrogate pair')
    .openapi({ minLength: min, maxLength: max })
}

const URL_MAX = 2_048

/** The address of a web page or picture: http or https, without a user name or password. */
export function webUrl() {
  return textField(URL_MAX)
    .refine(isWebUrl, 'must be an http or https URL')
    .openapi({ format: 'uri', example: 'https://example.com' })
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && !username && !password
}

/** The path parameter of an agent. */
export const regParam = z.object({
  reg: z
    .string()
    .regex(REG_PATTERN, 'must have the form REG-YYYY-BBBB-NNNN-C')
    .openapi({ param: { name: 'reg', in: 'path' }, example: 'REG-2026-0001-0042-U' }),
})

export const timestamp = z.iso.datetime().openapi({ example: '2026-11-21T10:00:00.000Z' })

/** A path parameter that is the UUID of a record. */
export function idParam<const Name extends string>(name: Name) {
  const id = z.uuid('must be a UUID').openapi({ param: { name, in: 'path' } })
  return z.object({ [name]: id } as Record<Name, typeof id>)
}
