import * as z from 'zod'
import {
  AGENT_CLASSES,
  AGENT_STATUSES,
  EVENT_TYPES,
  type EventType,
  OWNERSHIP_METHODS,
  OWNERSHIP_STATUSES,
  PLATFORM_STATES,
  REDACTION_REASONS,
  SEVERITIES,
} from '../../db/enums.ts'
import { REG_PATTERN } from '../../lib/agent-number.ts'
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLES } from './examples.ts'
import { MEANINGS } from './meanings.ts'

const reg = z.string().regex(REG_PATTERN).describe('Agent number')
const time = z.iso.datetime().describe('ISO 8601 in UTC')
const score = z.number().min(0).max(100)

const nameVerified = z
  .boolean()
  .describe('Whether an identity document checked by the registry shows this name')

/** Present in the events of `webhook-test` alone. */
const test = z.literal(true).optional().describe('Present only in test events')

const agent = {
  reg,
  name: z.string(),
  description: z.string(),
  class: z.enum(AGENT_CLASSES),
  status: z.enum(AGENT_STATUSES),
  ownership_status: z.enum(OWNERSHIP_STATUSES),
  domain: z.string().nullable().describe('Verified domain of the agent; null if none'),
  specializations: z.array(z.string()),
  tasks_completed: z.int().min(0),
  trust_score_overall: z
    .string()
    .nullable()
    .describe('Decimal with one decimal place; null if the agent has no score'),
  operator_name: z.string(),
  operator_name_verified: nameVerified,
  platform_slug: z.string().nullable().describe('Current platform of the agent; null if none'),
  platform_state: z
    .enum(PLATFORM_STATES)
    .nullable()
    .describe('claimed: stated by the operator of the agent; confirmed: also by the platform'),
  registered_at: time,
}
const incident = {
  incident_id: z.uuid(),
  reg,
  title: z.string(),
  severity: z.enum(SEVERITIES),
  description: z.string(),
  redacted: z
    .object({ at: time, reason: z.enum(REDACTION_REASONS) })
    .optional()
    .describe('Present if the texts were redacted; title and description are then default texts'),
}
function event<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, test })
}

/** What the data of each event type holds: their only definition. */
const EVENTS = {
  'agent.registered': event(agent),
  'agent.updated': event({
    ...agent,
    changed: z
      .array(z.enum(['name', 'description', 'specializations', 'homepage_url', 'card_url', 'platform_slug']))
      .min(1)
      .describe(
        'Names of the changed fields; the profile has the new values, and links only if they are on the verified domain. platform_slug: the agent left the platform or was removed from it',
      ),
  }),
  'agent.deactivated': event(agent),
  'agent.ownership_verified': event({
    reg,
    domain: z.string(),
    method: z.enum(OWNERSHIP_METHODS),
    verified_at: time,
  }),
  'trust.updated': event({
    reg,
    previous_score: score.describe('0 if this is the first score'),
    new_score: score,
    dimensions: z.object({
      reliability: score,
      accuracy: score,
      safety: score,
      speed: score,
      consistency: score,
    }),
  }),
  'trust.threshold_crossed': event({
    reg,
    threshold: z.literal([40, 60, 80]),
    direction: z.enum(['up', 'down']),
    previous_score: score.describe('0 if this is the first score'),
    new_score: score,
  }),
  'incident.created': event({
    ...incident,
    status: z.literal('open'),
    truncated: z
      .literal(true)
      .optional()
      .describe(
        'Present in the last event that is sent for an agent in a UTC minute; get further incidents from the list of incidents',
      ),
  }),
  'incident.resolved': event({
    ...incident,
    status: z.literal('resolved'),
    resolution: z.string(),
    resolved_at: time,
  }),
  'operator.kyc_verified': event({
    operator_id: z.uuid(),
    operator_name: z.string(),
    operator_name_verified: nameVerified,
    kyc_status: z.literal('verified'),
    kyc_verified_at: time,
    regs: z.array(reg).min(1).describe("The operator's active agents on this platform, at most 1,000"),
    truncated: z
      .literal(true)
      .optional()
      .describe('Present if the operator has more agents on this platform'),
  }),
} as const satisfies Record<EventType, ReturnType<typeof event>>

/** The data of an event, by its type. */
export type EventData<Type extends EventType> = z.infer<(typeof EVENTS)[Type]>

/** An event type as GET /event-types shows it. */
export interface EventTypeInfo {
  type: EventType
  description: string
  /** JSON Schema, draft 2020-12, of the whole envelope. It is open: fields may be added, never taken away. */
  schema: Record<string, unknown>
  example: { id: string; type: EventType; created_at: string; data: Record<string, unknown> }
}

/** All event types with their schemas. */
export function describeEventTypes(): EventTypeInfo[] {
  return EVENT_TYPES.map((type) => {
    const example = { id: EXAMPLE_ID, type, created_at: EXAMPLE_TIME, data: EXAMPLES[type] }
    return { type, description: MEANINGS[type], schema: toSchema(type, EVENTS[type]), example }
  })
}

function toSchema(type: EventType, data: z.ZodType): Record<string, unknown> {
  const envelope = z.object({
    id: z.string().regex(/^evt_[0-9a-f]{32}$/),
    type: z.literal(type),
    created_at: time,
    data,
  })
  return z.toJSONSchema(envelope.meta({ title: type }), {
    target: 'draft-2020-12',
    io: 'input', // else objects would be closed, and a receiver that validates would break on a new field
    override: ({ jsonSchema }) => {
      if (jsonSchema.format) delete jsonSchema.pattern // says the same at length
    },
  })
}
