import * as z from 'zod'
import { INCIDENT_STATUSES } from '../db/enums.ts'
import { DESCRIPTION_MAX, shownText, wordParam } from '../wire/fields.ts'
import { pageQuery } from '../wire/page.ts'

export const RESOLUTION_EXAMPLE = 'The mail server was replaced; no invoice was lost'

export const incidentQuery = z.object({
  ...pageQuery,
  status: wordParam('status', INCIDENT_STATUSES, 'must be open or resolved, and given only once', {
    description: 'Only incidents with this status',
    example: 'open',
  }),
})

export type IncidentQuery = z.infer<typeof incidentQuery>

export const resolutionInput = z
  .object({
    resolution: shownText(DESCRIPTION_MAX).meta({
      description: 'How the incident was resolved; public',
      example: RESOLUTION_EXAMPLE,
    }),
  })
  .meta({ id: 'ResolutionInput', description: 'Resolution of an incident' })
