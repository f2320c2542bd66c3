import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../db/enums.ts'
import { REG_PATTERN } from '../../lib/agent-number.ts'

const EXAMPLE_ID = 'evt_01a1fc89cf657e9091f2582afd126737'
const EXAMPLE_TIME = '2026-11-21T10:00:00.000Z'
const EXAMPLE_REG = 'REG-2026-0001-0000-D' // 0000 is never given out: a test event names nobody's agent

const reg = z.string().regex(REG_PATTERN).describe('Agent number')
const time = z.iso.datetime().describe('ISO 8601 in UTC')
const score = z.number().min(0).max(100)

/** Present in the events of `webhook-test` alone. */
const test = z.literal(true).optional().describe('Present in test events only')

const agent = {
  reg,
  name: z.string(),
  description: z.string(),
  class: z.enum(['A', 'S', 'H']),
  status: z.enum(['active', 'deactivated']),
  ownership_status: z.enum(['unverified', 'verified']),
  specializations: z.array(z.string()),
  tasks_completed: z.int().min(0),
  trust_score_overall: z.string().nullable().describe('Decimal with one place; null without a score'),
  operator_name: z.string(),
  registered_at: time,
}
const agentExample = {
  reg: EXAMPLE_REG,
  name: 'Invoice Reader',
  description: 'Reads invoices and files them',
  class: 'A' as const,
  status: 'active' as const,
  ownership_status: 'unverified' as const,
  specializations: ['invoices', 'accounting'],
  tasks_completed: 245,
  trust_score_overall: '94.8',
  operator_name: 'Alice',
  registered_at: '2026-10-01T08:30:00.000Z',
}

const incident = {
  incident_id: z.uuid(),
  reg,
  title: z.string(),
  severity: z.enum(['info', 'warning', 'error', 'critical']),
  description: z.string(),
}
const incidentExample = {
  incident_id: '01a1fc89-cf65-7e90-91f2-582afd126737',
  reg: EXAMPLE_REG,
  title: 'Invoices filed twice',
  severity: 'warning' as const,
  description: 'Seven invoices of November were filed twice',
}

function event<Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
  example: z.infer<z.ZodObject<Shape>>,
) {
  return { description, data: z.object({ ...shape, test }), example }
}

/** What each event type means and what its data holds: their only definition. */
const EVENTS = {
  'agent.registered': event('A new agent was registered on the platform', agent, {
    ...agentExample,
    tasks_completed: 0,
    trust_score_overall: null,
    registered_at: EXAMPLE_TIME,
  }),
  'agent.updated': event(
    "Texts of an agent's profile were changed",
    { ...agent, changed: z.array(z.enum(['name', 'description', 'specializations'])).min(1) },
    { ...agentExample, changed: ['name', 'specializations'] },
  ),
  'agent.deactivated': event('An agent was deactivated by its operator, for ever', agent, {
    ...agentExample,
    status: 'deactivated',
  }),
  'agent.ownership_verified': event(
    'The operator of an agent has proved that it holds a domain',
    { reg, domain: z.string(), method: z.enum(['dns', 'http']), verified_at: time },
    { reg: EXAMPLE_REG, domain: 'agents.example.com', method: 'dns', verified_at: EXAMPLE_TIME },
  ),
  'trust.updated': event(
    'The trust score of an agent was computed and has changed',
    {
      reg,
      previous_score: score.describe('0 before the first score'),
      new_score: score,
      dimensions: z.object({
        reliability: score,
        accuracy: score,
        safety: score,
        speed: score,
        consistency: score,
      }),
    },
    {
      reg: EXAMPLE_REG,
      previous_score: 78.4,
      new_score: 80.2,
      dimensions: { reliability: 85.1, accuracy: 80.4, safety: 90, speed: 66.7, consistency: 71.9 },
    },
  ),
  'trust.threshold_crossed': event(
    'The trust score of an agent has crossed 40, 60 or 80',
    {
      reg,
      threshold: z.literal([40, 60, 80]),
      direction: z.enum(['up', 'down']),
      previous_score: score.describe('0 before the first score'),
      new_score: score,
    },
    { reg: EXAMPLE_REG, threshold: 80, direction: 'up', previous_score: 78.4, new_score: 80.2 },
  ),
  'incident.created': event(
    'An incident was opened for an agent',
    { ...incident, status: z.literal('open') },
    { ...incidentExample, status: 'open' },
  ),
  'incident.resolved': event(
    'An incident was resolved',
    { ...incident, status: z.literal('resolved'), resolution: z.string(), resolved_at: time },
    {
      ...incidentExample,
      status: 'resolved',
      resolution: 'The copies were removed',
      resolved_at: EXAMPLE_TIME,
    },
  ),
  'operator.kyc_verified': event(
    'The operator of agents on the platform has completed its identity check',
    {
      operator_name: z.string(),
      kyc_status: z.literal('verified'),
      kyc_verified_at: time,
      regs: z.array(reg).min(1).describe("All of the operator's agents"),
    },
    {
      operator_name: 'Alice',
      kyc_status: 'verified',
      kyc_verified_at: EXAMPLE_TIME,
      regs: [EXAMPLE_REG],
    },
  ),
} as const satisfies Record<EventType, ReturnType<typeof event>>

/** The data of an event, by its type. */
export type EventData<Type extends EventType> = z.infer<(typeof EVENTS)[Type]['data']>

/** An event type as GET /event-types shows it. */
export interface EventTypeInfo {
  type: EventType
  description: string
  /** JSON Schema, draft 2020-12, of the whole envelope. It is open: fields may be added, never taken away. */
  schema: Record<string, unknown>
  example: { id: string; type: EventType; created_at: string; data: Record<string, unknown> }
}

let described: EventTypeInfo[] | undefined

/** All event types with their schemas; put together when first asked for. */
export function describeEventTypes(): EventTypeInfo[] {
  described ??= EVENT_TYPES.map((type) => {
    const { description, data, example } = EVENTS[type]
    return {
      type,
      description,
      schema: toSchema(type, data),
      example: { id: EXAMPLE_ID, type, created_at: EXAMPLE_TIME, data: example },
    }
  })
  return described
}

/** The data of a test event: the example of its type, marked. */
export function testData(type: EventType): Record<string, unknown> {
  return { ...EVENTS[type].example, test: true }
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
