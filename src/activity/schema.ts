import * as z from 'zod'
import { SEVERITIES } from '../db/enums.ts'
import { isObject } from '../transparency/bytes.ts'
import { EVENT_TYPE_MAX, regField, wordField } from '../wire/fields.ts'
import { metadataProblem } from './metadata.ts'

export const severity = z.enum(SEVERITIES, {
  error: 'must be info, warning, error, or critical',
})

export const eventInput = z
  .object({
    reg: regField.meta({ description: 'Agent number' }),
    event_type: wordField(EVENT_TYPE_MAX).meta({
      description: 'task_completed, task_failed, error, incident, startup, shutdown, or a custom type',
      example: 'task_completed',
    }),
    severity: severity
      .nullish()
      .transform((value) => value ?? 'info')
      .meta({ description: 'Severity of the event; `info` by default' }),
    metadata: z
      // Not z.record, which drops the key __proto__.
      .custom<Record<string, unknown>>(isObject, { error: 'must be a JSON object' })
      .nullish()
      .transform((value) => value ?? {})
      .superRefine((value, { addIssue }) => {
        const problem = metadataProblem(value)
        if (problem) addIssue({ code: 'custom', ...problem })
      })
      .register(z.globalRegistry, {
        type: ['object', 'null'],
        additionalProperties: true,
        description:
          'At most 16 KB and 10 levels. Public, and you cannot change or remove it: anyone can read the 50 newest events of an agent, so do not include secrets or personal data. Numbers are stored as IEEE 754 doubles and must be 0, or have a magnitude from 1e-7 to 9007199254740991; send other numbers as strings. `response_ms`, `quality` (0 to 1), and `correct` (true or false) count toward the trust score',
        example: { response_ms: 1500, quality: 0.95 },
      }),
  })
  .meta({ id: 'ActivityInput', description: 'Activity event to report' })

export type EventInput = z.infer<typeof eventInput>
