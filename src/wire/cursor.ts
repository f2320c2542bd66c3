import * as z from 'zod'
import { rule } from './rule.ts'

const CURSOR_MAX = 64
const BASE64 = /^[A-Za-z0-9+/]+$/

/** An opaque cursor that holds a text of ASCII. */
export function writeCursor(text: string): string {
  return btoa(text).replace(/=+$/, '')
}

/** The text that a cursor holds; null when it is not one of ours. */
export function readCursor(cursor: string): string | null {
  return BASE64.test(cursor) && cursor.length % 4 !== 1 ? atob(cursor) : null
}

/**
 * The query parameter of a list that is paged by cursor: empty on its first page.
 *
 * @param isOurs whether a cursor is one of this list
 * @param restriction a sentence that is added to the description
 */
export function cursorParam(isOurs: (cursor: string) => boolean, restriction?: string) {
  const use = 'Empty for the first page, then next_cursor of the previous response'
  return z
    .string({ error: 'must be given only once' })
    .max(CURSOR_MAX, 'must be next_cursor from an earlier response')
    .check(rule((cursor) => cursor === '' || isOurs(cursor), 'must be next_cursor from an earlier response'))
    .optional()
    .register(z.globalRegistry, {
      param: { name: 'cursor', in: 'query' },
      description: restriction ? `${use}. ${restriction}` : use,
      example: '',
    })
}
