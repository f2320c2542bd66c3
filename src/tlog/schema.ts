import * as z from 'zod'
import { cursorParam } from '../wire/cursor.ts'
import { wordParam } from '../wire/fields.ts'
import { wholeNumber } from '../wire/page.ts'
import { fromCursor } from './cursor.ts'

/** The kinds of leaves that belong to an agent. */
export const ENTRY_KINDS = [
  'event',
  'agent',
  'incident',
  'day',
  'redaction',
  'withholding',
  'agent_key',
] as const

/** The maximum page size without a credential of the agent's operator or platform. */
export const PUBLIC_ENTRIES_MAX = 100
const ENTRIES_MAX = 1_000
const SEQ_MAX = 9_999_999_999

export const entriesQuery = z.object({
  kind: wordParam('kind', ENTRY_KINDS, `must be one of ${ENTRY_KINDS.join(', ')}`, {
    description: 'Only leaves of this kind',
    example: 'event',
  }),
  after: wholeNumber('after', {
    min: 0,
    max: SEQ_MAX,
    fallback: 0,
    description:
      'Leaves of events are returned only if their number (`seq` in the leaf, starting at 1 for each agent) is greater than this; leaves of other kinds are always returned',
  }),
  cursor: cursorParam((cursor) => fromCursor(cursor) !== null),
  limit: wholeNumber('limit', {
    min: 1,
    max: ENTRIES_MAX,
    fallback: PUBLIC_ENTRIES_MAX,
    description:
      "Maximum number of leaves per page; without a credential of the agent's operator or platform, a page has at most 100. It ends earlier before it becomes larger than 1 MB",
  }),
})

export const statesQuery = z.object({
  cursor: cursorParam((cursor) => fromCursor(cursor) !== null),
  limit: wholeNumber('limit', {
    min: 1,
    max: PUBLIC_ENTRIES_MAX,
    fallback: PUBLIC_ENTRIES_MAX,
    description: 'Maximum number of leaves per page',
  }),
})

export type StatesQuery = z.infer<typeof statesQuery>
