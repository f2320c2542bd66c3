import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import {
  agentClass,
  agentDomain,
  agentName,
  agentOperator,
  agentScore,
  agentStatus,
  memberState,
  registeredAt,
  tasksCompleted,
} from '../wire/agent-fields.ts'
import { SLUG_EXAMPLE } from '../wire/fields.ts'
import { pageOf, regNumber, timeOrNull, timestamp } from '../wire/responses.ts'

const member = z
  .object({
    reg: regNumber,
    name: agentName,
    class: agentClass,
    status: agentStatus,
    ...agentDomain,
    ...agentOperator,
    ...agentScore,
    tasks_completed: tasksCompleted,
    platform_state: memberState,
    platform_since: timestamp.meta({
      description:
        'When the agent joined; of the events reported before, you can read only those that are public',
    }),
    platform_leaves_at: timeOrNull(
      'When the agent leaves, as requested by its operator; null if it stays',
      null,
    ),
    registered_at: registeredAt,
  })
  .meta({ id: 'PlatformAgent', description: 'Agent on a platform, as shown to the platform' })

export type Member = z.infer<typeof member>

export const removal = z
  .object({
    reg: regNumber,
    platform_slug: z.string().meta({ description: 'Slug of the platform', example: SLUG_EXAMPLE }),
    removed_at: timestamp.meta({ description: 'Time of the removal' }),
    barred_until: timestamp.meta({
      description: 'The agent cannot join the platform again before this time',
      example: '2026-12-21T10:00:00.000Z',
    }),
  })
  .meta({ id: 'PlatformRemoval', description: 'Removal of an agent from a platform' })

const platformAgentPage = pageOf(member).meta({
  id: 'PlatformAgentPage',
  description: 'Page of agents on a platform',
})

export const responses = describeRoutes('Platforms', {
  listPlatformAgents: {
    summary: 'List the agents on a platform, most recently joined first',
    description:
      'An operator can name any platform when registering an agent: `claimed` means that the platform has not confirmed it. At most 10,000 agents are counted and listed.',
    responses: { 200: json(platformAgentPage, 'A page of agents') },
    errors: ['NOT_FOUND'],
  },
  confirmPlatformAgent: {
    summary: 'Confirm that an agent is on the platform',
    description:
      'The profile then shows `platform_state: "confirmed"`. Confirming an agent again returns the same response. The endpoint returns 409 if the platform is retired.',
    responses: { 200: json(member, 'The confirmed agent') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  removePlatformAgent: {
    summary: 'Remove an agent from the platform',
    description:
      'The removal takes effect immediately, even if the agent is confirmed. The agent cannot join again for 30 days, and its operator is notified. If a move to another platform was pending, the agent joins that platform immediately. Removing an agent again returns the same response. The endpoint returns 409 if the platform is retired; its agents can leave on their own.',
    responses: { 200: json(removal, 'The removal') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
})
