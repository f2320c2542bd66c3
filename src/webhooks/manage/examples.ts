import type { EventType } from '../../db/enums.ts'
import { ID_EXAMPLE } from '../../wire/fields.ts'
import type { EventData } from './event-types.ts'

export const EXAMPLE_ID = 'evt_01a1fc89cf657e9091f2582afd126737'
export const EXAMPLE_TIME = '2026-11-21T10:00:00.000Z'
const EXAMPLE_REG = 'REG-2026-0001-0000-D' // 0000 is never allocated: test events name no real agent
const EXAMPLE_OPERATOR = '01a1fc89-0000-7e90-91f2-582afd126737'

const agentExample = {
  reg: EXAMPLE_REG,
  name: 'Invoice Reader',
  description: 'Reads invoices and files them',
  class: 'A' as const,
  status: 'active' as const,
  ownership_status: 'verified' as const,
  domain: 'agents.example.com',
  specializations: ['invoices', 'accounting'],
  tasks_completed: 245,
  trust_score_overall: '94.2',
  trust_score_updated: '2026-11-21T09:59:30.000Z',
  operator_name: 'Alice Smith',
  operator_name_verified: true,
  platform_slug: 'acme-market',
  platform_state: 'claimed' as const,
  registered_at: '2026-10-01T08:30:00.000Z',
}

const incidentExample = {
  incident_id: ID_EXAMPLE,
  reg: EXAMPLE_REG,
  title: 'Invoices filed twice',
  severity: 'warning' as const,
  reported_by: 'platform' as const,
  source: 'peer' as const,
  platform: 'acme-market',
  description: 'Seven invoices of November were filed twice',
}

/** An example of the data of each event type; test events carry it. */
export const EXAMPLES: { [Type in EventType]: EventData<Type> } = {
  'agent.registered': {
    ...agentExample,
    ownership_status: 'unverified',
    domain: null,
    tasks_completed: 0,
    trust_score_overall: null,
    trust_score_updated: null,
    registered_at: EXAMPLE_TIME,
  },
  'agent.updated': { ...agentExample, changed: ['name', 'specializations'] },
  'agent.deactivated': {
    ...agentExample,
    status: 'deactivated',
  },
  'agent.ownership_verified': {
    reg: EXAMPLE_REG,
    domain: 'agents.example.com',
    method: 'dns',
    verified_at: EXAMPLE_TIME,
  },
  'trust.updated': {
    reg: EXAMPLE_REG,
    previous_score: 78.4,
    new_score: 80.2,
    dimensions: { reliability: 79.5, accuracy: 78.4, safety: 83.6, speed: 79.3, consistency: 79.2 },
  },
  'trust.threshold_crossed': {
    reg: EXAMPLE_REG,
    threshold: 80,
    direction: 'up',
    previous_score: 78.4,
    new_score: 80.2,
  },
  'incident.created': { ...incidentExample, status: 'open' },
  'incident.resolved': {
    ...incidentExample,
    status: 'resolved',
    resolution: 'The copies were removed',
    resolved_at: EXAMPLE_TIME,
  },
  'operator.kyc_verified': {
    operator_id: EXAMPLE_OPERATOR,
    operator_name: 'Alice Smith',
    operator_name_verified: true,
    kyc_status: 'verified',
    kyc_verified_at: EXAMPLE_TIME,
    regs: [EXAMPLE_REG],
  },
}

/** The data of a test event: the example of its type, with `test: true`. */
export function testData(type: EventType): Record<string, unknown> {
  return { ...EXAMPLES[type], test: true }
}
