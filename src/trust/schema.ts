import * as z from 'zod'
import { flagParam, isStorableTime } from '../wire/fields.ts'
import { rule } from '../wire/rule.ts'

/** The query parameter `explain`. */
export const explainParam = flagParam(
  'explain',
  'Adds an explanation of the score: weights, confidence, shares of events by source (`evidence`), basis of each dimension (`dimensions`), and risk factors',
)

/** The query parameter `date`, a UTC day. The route rejects days in the future. */
export const dateParam = z
  .string({ error: 'must be given only once' })
  .check(
    rule(
      (text) => z.iso.date().safeParse(text).success && isStorableTime(text),
      'must be a date in the form YYYY-MM-DD',
    ),
  )
  .optional()
  .register(z.globalRegistry, {
    param: { name: 'date', in: 'query' },
    type: 'string',
    format: 'date',
    description: 'Last UTC day of the window, not in the future; today, if omitted',
    example: '2026-11-20',
  })
