import * as z from 'zod'
import {
  AGENT_CLASSES,
  EVENT_TYPES,
  type EventType,
  each,
  OWNERSHIP_METHODS,
  PLATFORM_STATES,
  SEVERITIES,
} from '../../db/enums.ts'
import { REG_PATTERN } from '../../lib/agent-number.ts'
import { DIMENSIONS } from '../../trust/dimensions.ts'
import {
  agentDomain,
  agentOperator,
  agentScore,
  agentStatus,
  CLASSES,
  registeredAt,
} from '../../wire/agent-fields.ts'
import { CLAIM, redaction, reporter } from '../../wire/responses.ts'
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLES } from './examples.ts'
import { MEANINGS } from './meanings.ts'

const reg = z.string().regex(REG_PATTERN).describe('Agent number')
const time = z.iso.datetime().describe('ISO 8601 in UTC')
const score = z.number().min(0).max(100).describe('From 0.0 to 100.0')

const { operator_name, operator_name_verified } = agentOperator

const withheld = z
  .array(z.enum(['name', 'description', 'specializations', 'operator_name', 'operator_name_verified']))
  .optional()
  .describe('Present only if the registry withholds texts: the names of the fields with a substitute')

const test = z.literal(true).optional().describe('Present only in test events')

const agent = {
  reg,
  name: z.string().describe(CLAIM),
  description: z.string().describe(CLAIM),
  class: z.enum(AGENT_CLASSES).describe(`${CLASSES}. ${CLAIM}`),
  status: agentStatus,
  ...agentDomain,
  specializations: z.array(z.string()).describe(CLAIM),
  tasks_completed: z.int().min(0).describe('Number of completed tasks'),
  ...agentScore,
  operator_name,
  operator_name_verified,
  withheld,
  platform_slug: z.string().nullable().describe('Current platform of the agent; null if none'),
  platform_state: z
    .enum(PLATFORM_STATES)
    .nullable()
    .describe(
      '`claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; null if the agent is on no platform',
    ),
  registered_at: registeredAt,
}
const incident = {
  incident_id: z.uuid().describe('ID of the incident'),
  reg,
  title: z.string().describe('Title, as reported; a default title if none can be shown'),
  severity: z.enum(SEVERITIES).describe('Severity of the event that opened the incident'),
  ...reporter,
  description: z.string().describe('Description, as reported; empty if none can be shown'),
  redacted: z
    .object(redaction.shape)
    .optional()
    .describe(
      'Present if the texts were redacted; `title` is then a default title, and `description` is empty',
    ),
}
const AFTER_GAP =
  'in the first event after some were not sent: of all `trust.*` and `incident.*` events about the claimed agents of an operator, a platform gets at most 5 per UTC minute'

const afterGap = z.literal(true).optional().describe(`Present ${AFTER_GAP}`)

function event<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, test })
}

/** The schema of the data of each event type. */
const EVENTS = {
  'agent.registered': event(agent),
  'agent.updated': event({
    ...agent,
    changed: z
      .array(
        z.enum([
          'name',
          'description',
          'specializations',
          'homepage_url',
          'card_url',
          'platform_slug',
          'keys',
        ]),
      )
      .min(1)
      .describe(
        'Names of the changed fields. If they include `platform_slug`, the agent left the platform or was removed from it; `keys` means that a key with which it signs was added or revoked. Get new links from the profile, which shows only links on the verified domain',
      ),
  }),
  'agent.deactivated': event(agent),
  'agent.ownership_verified': event({
    reg,
    domain: z.string().describe('Verified domain, in lowercase and punycode'),
    method: z
      .enum(OWNERSHIP_METHODS)
      .describe('`dns`: with a TXT record; `http`: with a file on the website'),
    verified_at: time.describe('Time of the verification'),
  }),
  'trust.updated': event({
    reg,
    previous_score: score.describe('0 if this is the first score'),
    new_score: score.describe('New overall score'),
    dimensions: z.object(each(DIMENSIONS, () => score)).describe('New scores of the five dimensions'),
    truncated: afterGap,
  }),
  'trust.threshold_crossed': event({
    reg,
    threshold: z
      .literal([40, 60, 80])
      .meta({ description: 'Threshold that was crossed', enum: [40, 60, 80] }),
    direction: z.enum(['up', 'down']).describe('Direction of the change'),
    previous_score: score.describe('0 if this is the first score'),
    new_score: score.describe('New overall score'),
    truncated: afterGap,
  }),
  'incident.created': event({
    ...incident,
    status: z.literal('open').describe('Status of the incident'),
    truncated: z
      .literal(true)
      .optional()
      .describe(
        `Present in the last event that a limit allows: per agent and UTC minute, at most 20 events of this type are sent for critical incidents, and 20 for all others. Also ${AFTER_GAP}. The list of incidents contains all of them`,
      ),
  }),
  'incident.resolved': event({
    ...incident,
    status: z.literal('resolved').describe('Status of the incident'),
    resolution: z.string().describe('How the incident was resolved'),
    resolved_at: time.describe('Time of the resolution'),
    truncated: afterGap,
  }),
  'operator.kyc_verified': event({
    operator_id: z.uuid().describe('Permanent public ID of the operator'),
    operator_name,
    operator_name_verified,
    withheld,
    kyc_status: z.literal('verified').describe('KYC status of the operator'),
    kyc_verified_at: time.describe('Time of the passed check'),
    regs: z.array(reg).min(1).describe("The operator's active agents on this platform, at most 1,000"),
    truncated: z
      .literal(true)
      .optional()
      .describe('Present if the operator has more agents on this platform'),
  }),
} as const satisfies Record<EventType, ReturnType<typeof event>>

/** The data of an event of a type. */
export type EventData<Type extends EventType> = z.infer<(typeof EVENTS)[Type]>

/** An event type, as shown by GET /event-types. */
export type EventTypeInfo = ReturnType<typeof describeEventTypes>[number]

/** All event types with their schemas: JSON Schema, draft 2020-12, of the envelope, which allows additional fields. */
export function describeEventTypes() {
  return EVENT_TYPES.map((type) => {
    return { type, description: MEANINGS[type], schema: toSchema(type), example: exampleOf(type) }
  })
}

function exampleOf(type: EventType) {
  return { id: EXAMPLE_ID, type, created_at: EXAMPLE_TIME, data: EXAMPLES[type] }
}

/** The schema of the body of a webhook of this type. */
function envelopeOf<Type extends EventType>(type: Type) {
  return z.object({
    id: z
      .string()
      .regex(/^evt_[0-9a-f]{32}$/)
      .describe('ID of the event; the same in every attempt and redelivery'),
    type: z.literal(type).describe('Event type; determines the fields of `data`'),
    created_at: time.describe('Time of the event'),
    data: EVENTS[type].describe('Data of the event'),
  })
}

/** The envelope of a type, named for the OpenAPI document. */
function named<Type extends EventType>(type: Type) {
  return envelopeOf(type).meta({ id: eventSchemaName(type), description: MEANINGS[type] })
}

/** The name of the envelope of a type in the OpenAPI document, such as `TrustUpdatedEvent`. */
export function eventSchemaName(type: EventType): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`
}

/** The schema of the body of any webhook. */
export const webhookEvent = z
  .discriminatedUnion('type', [
    named('agent.registered'),
    named('agent.updated'),
    named('agent.deactivated'),
    named('agent.ownership_verified'),
    named('trust.updated'),
    named('trust.threshold_crossed'),
    named('incident.created'),
    named('incident.resolved'),
    named('operator.kyc_verified'),
  ])
  .meta({
    id: 'WebhookEvent',
    description: 'Webhook event; `type` determines the fields of `data`',
    example: exampleOf('agent.ownership_verified'),
  })

export type WebhookEvent = z.infer<typeof webhookEvent>

function toSchema(type: EventType): Record<string, unknown> {
  return z.toJSONSchema(envelopeOf(type).meta({ title: type }), {
    target: 'draft-2020-12',
    io: 'input', // with 'output', schemas forbid additional fields, and validating receivers would reject new ones
    override: ({ jsonSchema }) => {
      if (jsonSchema.format) delete jsonSchema.pattern // redundant
      delete jsonSchema.example // not a keyword of JSON Schema: strict validators reject it
    },
  })
}
