import { z } from '@hono/zod-openapi'
import {
  count,
  DESCRIPTION_MAX,
  NAME_MAX,
  recordId,
  regNumber,
  SLUG_MAX,
  SPECIALIZATION_MAX,
  textField,
  timestamp,
} from '../wire/fields.ts'

const SPECIALIZATIONS_MAX = 20

const NAME_EXAMPLE = 'Invoice Reader'
const DESCRIPTION_EXAMPLE = 'Reads invoices and files them'
const SPECIALIZATIONS_EXAMPLE = ['invoices', 'accounting']
const CLASSES = 'A autonomous, S semi-autonomous, H human-assisted'

const name = textField(NAME_MAX).openapi({ example: NAME_EXAMPLE })
const agentClass = z
  .enum(['A', 'S', 'H'], { error: 'must be A, S or H' })
  .openapi({ description: CLASSES, example: 'A' })
const description = textField(DESCRIPTION_MAX, 0).openapi({ example: DESCRIPTION_EXAMPLE })
const specializations = z
  .array(textField(SPECIALIZATION_MAX), { error: 'must be an array of strings' })
  .max(SPECIALIZATIONS_MAX, `at most ${SPECIALIZATIONS_MAX} entries`)
  .openapi({ description: 'Tags', example: SPECIALIZATIONS_EXAMPLE })

/** Body of POST /agents. */
export const agentInput = z
  .object({
    name,
    class: agentClass,
    description: description.nullish().transform((text) => text ?? ''),
    platform_slug: textField(SLUG_MAX)
      .nullish()
      .openapi({ description: 'The platform that the agent works on', example: 'acme-market' }),
    specializations: specializations.nullish().transform((tags) => tags ?? []),
  })
  .openapi('AgentInput')

/** Body of PATCH /agents/{reg}. */
export const agentChanges = z
  .object({
    name: name.optional(),
    description: description
      .nullable()
      .transform((text) => text ?? '')
      .optional(),
    specializations: specializations
      .nullable()
      .transform((tags) => tags ?? [])
      .optional(),
    status: z
      .literal('deactivated', { error: "can only be set to 'deactivated'; deactivation is final" })
      .optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'name, description, specializations or status must be given',
  })
  .openapi('AgentChanges', {
    description: 'At least one field; null empties description and specializations',
    example: { description: DESCRIPTION_EXAMPLE, specializations: SPECIALIZATIONS_EXAMPLE },
  })

const shared = {
  reg: regNumber,
  name: z.string().openapi({ example: NAME_EXAMPLE }),
  description: z.string().openapi({ example: DESCRIPTION_EXAMPLE }),
  class: z.enum(['A', 'S', 'H']).openapi({ description: CLASSES }),
  status: z.enum(['active', 'deactivated']),
  ownership_status: z.enum(['unverified', 'verified']).openapi({ example: 'verified' }),
  specializations: z.array(z.string()).openapi({ example: SPECIALIZATIONS_EXAMPLE }),
  tasks_completed: count(245),
  tasks_failed: count(5),
  incident_count: count(0),
  trust_score_overall: z.string().nullable().openapi({ example: '94.8' }),
  registered_at: timestamp,
}

/** The creation form of an agent. */
export const agentCreated = z.object({ id: recordId, ...shared }).openapi('Agent')

/** An agent at the moment of its registration. */
export const FRESH_AGENT: AgentCreated = {
  id: '01a1fc89-cf65-7e90-91f2-582afd126737',
  reg: 'REG-2026-0001-0042-U',
  name: NAME_EXAMPLE,
  description: DESCRIPTION_EXAMPLE,
  class: 'A',
  status: 'active',
  ownership_status: 'unverified',
  specializations: SPECIALIZATIONS_EXAMPLE,
  tasks_completed: 0,
  tasks_failed: 0,
  incident_count: 0,
  trust_score_overall: null,
  registered_at: '2026-11-21T10:00:00.000Z',
}

/** The public profile of an agent. */
export const agentProfile = z
  .object({
    ...shared,
    ownership_verified_at: timestamp.nullable(),
    success_rate: z.string().nullable().openapi({ description: 'Percent of all tasks', example: '98.00' }),
    avg_response_ms: count(840).nullable(),
    trust_score_updated: timestamp.nullable(),
    last_active_at: timestamp.nullable(),
    operator_name: z.string().openapi({ example: 'Alice' }),
    operator_kyc_status: z.string().openapi({ example: 'verified' }),
    platform_name: z.string().nullable().openapi({ example: 'Acme Market' }),
    platform_slug: z.string().nullable().openapi({ example: 'acme-market' }),
  })
  .openapi('AgentProfile')

export type AgentChanges = z.infer<typeof agentChanges>
export type AgentInput = z.infer<typeof agentInput>
export type AgentCreated = z.infer<typeof agentCreated>
export type AgentProfile = z.infer<typeof agentProfile>

/** An agent as search results show it. */
export const searchItem = z
  .object({
    reg: shared.reg,
    name: shared.name,
    class: shared.class,
    status: shared.status,
    trust_score_overall: shared.trust_score_overall,
    tasks_completed: shared.tasks_completed,
    operator_name: z.string().openapi({ example: 'Alice' }),
  })
  .openapi('SearchItem')

export type SearchItem = z.infer<typeof searchItem>
