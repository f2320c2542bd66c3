import { z } from '@hono/zod-openapi'
import { REG_PATTERN } from '../agents/number.ts'
import { codePoints, isStorable } from '../lib/text.ts'

/** A text of `min` to `max` code points that Postgres can store. */
export function textField(max: number, min = 1) {
  return z
    .string({ error: (issue) => (issue.input === undefined ? 'required' : 'must be a string') })
    .refine((text) => codePoints(text) <= max, `at most ${max} characters`)
    .refine((text) => text.trim().length > 0 || min === 0, 'must not be empty')
    .refine(isStorable, 'must not contain NUL or half a surrogate pair')
    .openapi({ minLength: min, maxLength: max })
}

/** The path parameter of an agent. */
export const regParam = z.object({
  reg: z
    .string()
    .regex(REG_PATTERN, 'must have the form REG-YYYY-BBBB-NNNN-C')
    .openapi({ param: { name: 'reg', in: 'path' }, example: 'REG-2026-0001-0042-U' }),
})

export const timestamp = z.iso.datetime().openapi({ example: '2026-11-21T10:00:00.000Z' })
