import * as z from 'zod'
import { rule } from './rule.ts'

const CURSOR_MAX = 64
const BASE64 = /^[A-Za-z0-9+/]+$/

/** Encodes an ASCII text as an opaque cursor. */
export function writeCursor(text: string): string {
  return btoa(text).replace(/=+$/, '')
}

/** Decodes a cursor; null if it cannot be one of this service. */
export function readCursor(cursor: string): string | null {
  return BASE64.test(cursor) && cursor.length % 4 !== 1 ? atob(cursor) : null
}

/**
 * The query parameter `cursor` of a list; empty for the first page.
 *
 * @param isValid whether a cursor is one of this list
 * @param restriction a sentence to add to the description
 */
export function cursorParam(isValid: (cursor: string) => boolean, restriction?: string) {
  const use =
    'Send an empty value (`cursor=`) for the first page, then `next_cursor` of the previous response'
  return z
    .string({ error: 'must be given only once' })
    .max(CURSOR_MAX, 'must be next_cursor from an earlier response')
    .check(rule((cursor) => cursor === '' || isValid(cursor), 'must be next_cursor from an earlier response'))
    .optional()
    .register(z.globalRegistry, {
      param: { name: 'cursor', in: 'query' },
      description: restriction ? `${use}. ${restriction}` : use,
      example: '',
    })
}
