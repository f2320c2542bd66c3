import { z } from '@hono/zod-openapi'
import { REG_PATTERN } from '../lib/agent-number.ts'
import { EVENT_TYPE_MAX, recordId, requiredText, textField, timestamp } from '../wire/fields.ts'
import { pagination } from '../wire/page.ts'
import { metadataProblem } from './metadata.ts'

const severity = z.enum(['info', 'warning', 'error', 'critical'], {
  error: 'must be info, warning, error or critical',
})

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Body of POST /activity/report. */
export const eventInput = z
  .object({
    reg: z
      .string({ error: requiredText })
      .regex(REG_PATTERN, 'must have the form REG-YYYY-BBBB-NNNN-C')
      .openapi({ example: 'REG-2026-0001-0042-U' }),
    event_type: textField(EVENT_TYPE_MAX).openapi({
      description: 'task_completed, task_failed, error, incident, startup, shutdown, or one of your own',
      example: 'task_completed',
    }),
    severity: severity.nullish().transform((value) => value ?? 'info'),
    metadata: z
      // Not z.record, which drops the key __proto__.
      .custom<Record<string, unknown>>(isJsonObject, { error: 'must be a JSON object' })
      .nullish()
      .transform((value) => value ?? {})
      .refine((value) => metadataProblem(value) === null, {
        error: ({ input }) => metadataProblem(input as Record<string, unknown>) ?? undefined,
      })
      .openapi({
        type: ['object', 'null'],
        additionalProperties: true,
        description:
          'At most 16 KB and 10 levels; response_ms and quality (0 to 1) count for the trust score',
        example: { response_ms: 1500, quality: 0.95 },
      }),
  })
  .openapi('ActivityInput')

/** An event of the log as the report answers it. */
export const activityEvent = z
  .object({
    id: recordId,
    agent_id: recordId,
    event_type: z.string().openapi({ example: 'task_completed' }),
    severity,
    metadata: z.record(z.string(), z.unknown()).openapi({ example: { response_ms: 1500, quality: 0.95 } }),
    reported_by: z.enum(['operator', 'platform']),
    created_at: timestamp,
  })
  .openapi('ActivityEvent')

const { agent_id: _, ...listed } = activityEvent.shape

/** An event as the list of an agent's activity shows it. */
export const listedEvent = z.object(listed).openapi('ListedActivityEvent')

/** The answer to GET /agents/{reg}/activity. */
export const activityPage = z
  .object({
    data: z.array(listedEvent),
    pagination,
    next_cursor: z.string().nullable().optional().openapi({ description: 'Only where cursor was given' }),
  })
  .openapi('ActivityPage')

export type ActivityEvent = z.infer<typeof activityEvent>
export type ListedEvent = z.infer<typeof listedEvent>
export type EventInput = z.infer<typeof eventInput>
