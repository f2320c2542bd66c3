import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { INCIDENT_STATUSES, SEVERITIES } from '../db/enums.ts'
import {
  itemsOf,
  pagination,
  recordId,
  redaction,
  regNumber,
  reporter,
  timeOrNull,
  timestamp,
  withheld,
} from '../wire/responses.ts'
import { RESOLUTION_EXAMPLE } from './schema.ts'

export const incident = z
  .object({
    incident_id: recordId,
    reg: regNumber,
    title: z.string().meta({
      description: 'From the metadata of the event, as reported; a default if no title can be shown',
      example: 'Mail server down',
    }),
    severity: z
      .enum(SEVERITIES)
      .meta({ description: 'Severity of the event that opened the incident', example: 'warning' }),
    status: z
      .enum(INCIDENT_STATUSES)
      .meta({ description: 'Whether the incident is open or resolved', example: 'resolved' }),
    ...reporter,
    description: z.string().meta({
      description: 'From the metadata of the event, as reported; empty if no description can be shown',
      example: 'No invoices have arrived since 09:00 UTC',
    }),
    created_at: timestamp.meta({ description: 'Time of creation' }),
    resolution: z.string().nullable().meta({
      description: 'How the incident was resolved; null while it is open',
      example: RESOLUTION_EXAMPLE,
    }),
    resolved_at: timeOrNull('Time of the resolution; null while the incident is open'),
    redacted: redaction.optional(),
  })
  .meta({ id: 'Incident', description: 'Incident of an agent' })

export type Incident = z.infer<typeof incident>

const incidentPage = z
  .object({
    data: itemsOf(incident),
    pagination,
    withheld,
  })
  .meta({ id: 'IncidentPage', description: 'Page of incidents' })

export const responses = describeRoutes('Incidents', {
  listIncidents: {
    summary: 'List the incidents of an agent, newest first',
    description:
      'An event of type `incident` opens an incident with the `title` and `description` of its metadata; the operator of the agent resolves it. If the event is redacted or the texts are withheld, a default title and an empty description are shown.',
    responses: { 200: json(incidentPage, 'A page of incidents') },
    errors: ['NOT_FOUND'],
  },
  resolveIncident: {
    summary: 'Resolve an incident',
    description:
      'An incident is resolved once: repeating the call returns the resolution of the first call. A resolved incident still counts toward the trust score and remains in the activity log. A redacted incident can be resolved, but the text of its resolution is not stored.',
    responses: { 200: json(incident, 'The resolved incident') },
    errors: ['NOT_FOUND'],
  },
})
