import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { INCIDENT_STATUSES, SEVERITIES } from '../db/enums.ts'
import { pagination, recordId, redaction, regNumber, timestamp } from '../wire/answers.ts'
import { RESOLUTION_EXAMPLE } from './schema.ts'

/** An incident of an agent. */
export const incident = z
  .object({
    incident_id: recordId,
    reg: regNumber,
    title: z.string().meta({
      description: 'Out of the metadata of the event, as it was reported; a default where none may be shown',
      example: 'Mail server down',
    }),
    severity: z.enum(SEVERITIES).meta({ example: 'warning' }),
    status: z.enum(INCIDENT_STATUSES).meta({ example: 'resolved' }),
    description: z.string().meta({
      description: 'Out of the metadata of the event, as it was reported; empty where none may be shown',
      example: 'No invoice has arrived since nine',
    }),
    created_at: timestamp,
    resolution: z.string().nullable().meta({ example: RESOLUTION_EXAMPLE }),
    resolved_at: timestamp.nullable(),
    redacted: redaction.optional(),
  })
  .meta({ id: 'Incident' })

export type Incident = z.infer<typeof incident>

/** The answer to GET /agents/{reg}/incidents. */
const incidentPage = z
  .object({
    data: z.array(incident),
    pagination,
    operator_status: z
      .literal('suspended')
      .optional()
      .meta({ description: 'Only where the texts are hidden because the operator is suspended' }),
  })
  .meta({ id: 'IncidentPage' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  listIncidents: {
    tag: 'Incidents',
    summary: 'Incidents of an agent, newest first',
    description:
      'An event of the type `incident` opens one, with the `title` and `description` of its metadata; its operator resolves it. Of a redacted event, and of a suspended operator, the texts are default ones.',
    responses: { 200: json(incidentPage, 'A page of incidents') },
    errors: ['NOT_FOUND'],
  },
  resolveIncident: {
    tag: 'Incidents',
    summary: 'Resolve an incident',
    description:
      'An incident is resolved once: a second call gets the same answer, with the resolution of the first. What happened stays in the log and in the trust score. Of a redacted incident the resolution is not kept.',
    responses: { 200: json(incident, 'The resolved incident') },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
