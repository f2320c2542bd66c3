import { z } from '@hono/zod-openapi'
import { textField, timestamp } from '../http/fields.ts'

const NAME_MAX = 255
const DESCRIPTION_MAX = 5_000
const SPECIALIZATIONS_MAX = 20
const SPECIALIZATION_MAX = 50
const SLUG_MAX = 64

const agentClass = z.enum(['A', 'S', 'H'], { error: 'must be A, S or H' })
const description = textField(DESCRIPTION_MAX, 0)
const specializations = z
  .array(textField(SPECIALIZATION_MAX), { error: 'must be an array of strings' })
  .max(SPECIALIZATIONS_MAX, `at most ${SPECIALIZATIONS_MAX} entries`)

/** Body of POST /agents. */
export const agentInput = z
  .object({
    name: textField(NAME_MAX),
    class: agentClass,
    description: description.nullish().transform((text) => text ?? ''),
    platform_slug: textField(SLUG_MAX).nullish(),
    specializations: specializations.nullish().transform((tags) => tags ?? []),
  })
  .openapi('AgentInput')

/** Body of PATCH /agents/{reg}. */
export const agentChanges = z
  .object({
    name: textField(NAME_MAX).optional(),
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
  .openapi('AgentChanges')

const shared = {
  reg: z.string().openapi({ example: 'REG-2026-0001-0042-U' }),
  name: z.string(),
  description: z.string(),
  class: z.enum(['A', 'S', 'H']),
  status: z.enum(['active', 'deactivated']),
  ownership_status: z.enum(['unverified', 'verified']),
  specializations: z.array(z.string()),
  tasks_completed: z.number().int(),
  tasks_failed: z.number().int(),
  incident_count: z.number().int(),
  trust_score_overall: z.string().nullable().openapi({ example: '94.8' }),
  registered_at: timestamp,
}

/** The creation form of an agent. */
export const agentCreated = z.object({ id: z.uuid(), ...shared }).openapi('Agent')

/** The public profile of an agent. */
export const agentProfile = z
  .object({
    ...shared,
    ownership_verified_at: timestamp.nullable(),
    success_rate: z.string().nullable().openapi({ example: '98.00' }),
    avg_response_ms: z.number().int().nullable(),
    trust_score_updated: timestamp.nullable(),
    last_active_at: timestamp.nullable(),
    operator_name: z.string(),
    operator_kyc_status: z.string(),
    platform_name: z.string().nullable(),
    platform_slug: z.string().nullable(),
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
    operator_name: z.string(),
  })
  .openapi('SearchItem')

export type SearchItem = z.infer<typeof searchItem>
