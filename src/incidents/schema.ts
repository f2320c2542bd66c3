import { z } from '@hono/zod-openapi'
import { DESCRIPTION_MAX, recordId, regNumber, textField, timestamp } from '../wire/fields.ts'
import { pageQuery, pagination } from '../wire/page.ts'

const STATUSES = ['open', 'resolved'] as const
const RESOLUTION_MAX = DESCRIPTION_MAX
const RESOLUTION_EXAMPLE = 'The mail server was replaced; no invoice was lost'

/** The query of GET /agents/{reg}/incidents. */
export const incidentQuery = z.object({
  ...pageQuery,
  status: z
    .enum(STATUSES, { error: 'must be open or resolved, given once' })
    .optional()
    .openapi({
      param: { name: 'status', in: 'query' },
      description: 'Only those that are open, or resolved',
      example: 'open',
    }),
})

export type IncidentQuery = z.infer<typeof incidentQuery>

/** An incident of an agent. */
export const incident = z
  .object({
    incident_id: recordId,
    reg: regNumber,
    title: z.string().openapi({ example: 'Mail server down' }),
    severity: z.enum(['info', 'warning', 'error', 'critical']).openapi({ example: 'warning' }),
    status: z.enum(STATUSES).openapi({ example: 'resolved' }),
    description: z.string().openapi({ example: 'No invoice has arrived since nine' }),
    created_at: timestamp,
    resolution: z.string().nullable().openapi({ example: RESOLUTION_EXAMPLE }),
    resolved_at: timestamp.nullable(),
  })
  .openapi('Incident')

export type Incident = z.infer<typeof incident>

/** The answer to GET /agents/{reg}/incidents. */
export const incidentPage = z.object({ data: z.array(incident), pagination }).openapi('IncidentPage')

/** Body of POST /incidents/{id}/resolve. */
export const resolutionInput = z
  .object({ resolution: textField(RESOLUTION_MAX).openapi({ example: RESOLUTION_EXAMPLE }) })
  .openapi('ResolutionInput')
