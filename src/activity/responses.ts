import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'
import {
  count,
  itemsOf,
  pagination,
  recordId,
  redaction,
  reporter,
  timestamp,
  warnings,
  withheld,
} from '../wire/responses.ts'
import { severity } from './schema.ts'

const activityEvent = z
  .object({
    id: recordId,
    agent_id: recordId.meta({ description: 'ID of the agent' }),
    event_type: z.string().meta({
      description: 'Type of the event, as reported; `other` in place of a custom type that is withheld',
      example: 'task_completed',
    }),
    severity: severity.meta({ description: 'Severity of the event' }),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: 'Metadata of the event, as reported; `{}` if it was redacted or is withheld',
      example: { response_ms: 1500, quality: 0.95 },
    }),
    ...reporter,
    created_at: timestamp.meta({ description: 'Time at which the event was stored' }),
    redacted: redaction.optional(),
  })
  .meta({ id: 'ActivityEvent', description: 'Activity event' })

const receipt = z.string().optional().meta({
  description:
    'Present only if the request has the header `Prefer: return=receipt`, an event was stored, and the registry signs tokens and has a log: a JSON Web Signature (ES256) with which it promises that the stored events will be in its transparency log within 24 hours',
  example: 'eyJhbGciOiJFUzI1NiIs….eyJpc3MiOiJodHRwczov….q8fXk0Zb2nV1c…',
})

const reportedEvent = activityEvent
  .extend({ receipt })
  .meta({ id: 'ReportedActivityEvent', description: 'Activity event that was just reported' })

const index = count(0, 'Position of the event in the request, starting at 0')

const stored = z
  .object({
    index,
    status: z
      .literal(201)
      .meta({ description: 'Always 201; distinguishes a stored event from a rejected one' }),
    event: activityEvent,
    warnings,
  })
  .meta({ id: 'StoredResult', description: 'Stored event of a batch' })

const rejected = z
  .object({
    index,
    status: z
      .number()
      .int()
      .min(400)
      .meta({ description: 'HTTP status that a single report would have returned', example: 404 }),
    error: z
      .object({
        code: z.string().meta({ description: 'Error code, as for a single report', example: 'NOT_FOUND' }),
        message: z.string().meta({
          description: 'Human-readable message; names the field and its rule',
          example: `there is no agent ${REG_EXAMPLE}`,
        }),
        status: count(404, 'Same as the status of the result'),
      })
      .meta({ description: 'Why the event was not stored' }),
  })
  .meta({ id: 'RejectedResult', description: 'Rejected event of a batch' })

const batchResponse = z
  .object({
    data: z
      .array(z.union([stored, rejected]))
      .meta({ description: 'Result of each event, in the order of the request' }),
    accepted: count(1, 'Number of stored events'),
    rejected: count(0, 'Number of rejected events'),
    receipt,
  })
  .meta({ id: 'BatchAnswer', description: 'Results of a batch report' })

type BatchResponse = z.infer<typeof batchResponse>

const NOT_FOUND = { code: 'NOT_FOUND', message: `there is no agent ${REG_EXAMPLE}`, status: 404 }

const NOTHING_STORED: BatchResponse = {
  data: [{ index: 0, status: 404, error: NOT_FOUND }],
  accepted: 0,
  rejected: 1,
}

const { agent_id: _, ...listed } = activityEvent.shape

const listedEvent = z
  .object(listed)
  .meta({ id: 'ListedActivityEvent', description: 'Activity event, as shown in a list' })

const activityPage = z
  .object({
    data: itemsOf(listedEvent),
    pagination,
    withheld,
    next_cursor: z.string().nullable().optional().meta({
      description: 'Cursor of the next page; null on the last page. Present only if `cursor` was given',
    }),
  })
  .meta({ id: 'ActivityPage', description: 'Page of activity events' })

export type ActivityEvent = z.infer<typeof activityEvent>

export type ListedEvent = z.infer<typeof listedEvent>

export const responses = describeRoutes('Activity', {
  reportActivityBatch: {
    summary: 'Report up to 1,000 activity events',
    description:
      'If the request body is malformed, nothing is stored. Otherwise, each event is validated separately, and the results are in the order of the request. If an event is rejected because of the state of its agent or a daily quota, all events of that agent in the batch are rejected with the same error. Stored events are permanent, and the 50 newest events of an agent are public with their metadata.',
    responses: {
      201: json(batchResponse, 'All events were stored'),
      207: json(
        batchResponse,
        'Some events were not stored, or none, which programs should treat as an error: the result of each states why',
        NOTHING_STORED,
      ),
    },
    errors: ['IDEMPOTENCY_MISMATCH'],
  },
  reportActivity: {
    summary: 'Report an activity event for an agent',
    description:
      'Stored events are permanent, and the 50 newest events of an agent are public with their metadata. Tasks (`task_completed`, `task_failed`), incidents, `error` events of severity `warning` or higher, unplanned downtime (from a `shutdown` of severity `error` or `critical` to the next `startup`), and all events of severity `critical` count toward the trust score. An `incident` event also opens an incident. Each tier has daily quotas per agent for events and for bytes of metadata; when one is exceeded, the endpoint returns 429 until the UTC day ends.',
    responses: { 201: json(reportedEvent, 'The stored event') },
    errors: ['NOT_FOUND', 'AGENT_DEACTIVATED', 'IDEMPOTENCY_MISMATCH'],
  },
  listActivity: {
    summary: 'List the activity events of an agent, newest first',
    description:
      'Without a credential, filters and pagination apply to the 50 newest events, which are public with their metadata. With a session or a key with the permission `read`, the operator of the agent gets the whole log. With a key of the platform with the permission `read`, its platform gets the events since the agent joined. Both can page with `cursor`. A page has at most 50 events and is therefore smaller than 1 MB. `metadata` is `{}` for everyone when the event is redacted, and for the public while the texts of the agent are withheld; custom types are then `other`, and no filter finds them.',
    responses: { 200: json(activityPage, 'A page of events') },
    errors: ['NOT_FOUND'],
  },
})
