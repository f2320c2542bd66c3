import * as z from 'zod'
import { isStorableTime } from './fields.ts'
import { rule } from './rule.ts'

const EXAMPLE = '2026-11-01'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const WITH_OFFSET = /(Z|[+-]\d{2}:\d{2})$/
const RULE = 'must be an ISO 8601 date or time, such as 2026-11-01 or 2026-11-01T12:00:00Z'

/** A time in ISO 8601; without an offset, it is in UTC. */
export function isoTime(error: string) {
  return z.iso
    .datetime({ offset: true, local: true, error, abort: true })
    .check(z.overwrite((text) => (WITH_OFFSET.test(text) ? text : `${text}Z`)))
    .check(rule(isStorableTime, 'must be in the years 1 to 9999'))
}

/** A point in time in ISO 8601: a time, or a date, which means 00:00 UTC of that day. */
export const moment = z
  .string({ error: RULE })
  .transform((text) => (DAY.test(text) ? `${text}T00:00:00Z` : text))
  .pipe(isoTime(RULE))
  .transform((text) => new Date(text))
  .register(z.globalRegistry, { type: 'string', example: EXAMPLE })

const IN_UTC = 'A time without an offset is in UTC, and a date means 00:00 UTC of that day'

/** The query parameters `from` and `to` of a list of `items`. */
export function period(items: string) {
  return {
    from: momentParam('from', `${items} at or after this time. ${IN_UTC}`),
    to: momentParam('to', `${items} before this time. ${IN_UTC}`),
  }
}

function momentParam(name: string, description: string) {
  return moment.optional().register(z.globalRegistry, {
    param: { name, in: 'query' },
    type: 'string',
    description,
    example: EXAMPLE,
  })
}
