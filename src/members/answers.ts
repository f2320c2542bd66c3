import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { AGENT_STATUSES } from '../db/enums.ts'
import {
  agentClass,
  agentName,
  count,
  kycStatus,
  memberState,
  nameVerified,
  operatorId,
  operatorName,
  overallScore,
  ownershipStatus,
  pageOf,
  provedDomain,
  regNumber,
  timestamp,
} from '../wire/answers.ts'
import { SLUG_EXAMPLE } from '../wire/fields.ts'

/** An agent as the platform sees it that it is on. */
const member = z
  .object({
    reg: regNumber,
    name: agentName,
    class: agentClass,
    status: z.enum(AGENT_STATUSES),
    ownership_status: ownershipStatus,
    domain: provedDomain,
    operator_id: operatorId,
    operator_name: operatorName,
    operator_name_verified: nameVerified,
    operator_kyc_status: kycStatus,
    trust_score_overall: overallScore,
    tasks_completed: count(245),
    platform_state: memberState,
    platform_since: timestamp.meta({
      description: 'When it joined: what was reported before is not yours to read',
    }),
    platform_leaves_at: timestamp
      .nullable()
      .meta({ description: 'When it leaves, as its operator has asked', example: null }),
    registered_at: timestamp,
  })
  .meta({ id: 'PlatformAgent' })

export type Member = z.infer<typeof member>

export const removal = z
  .object({
    reg: regNumber,
    platform_slug: z.string().meta({ example: SLUG_EXAMPLE }),
    removed_at: timestamp,
    barred_until: timestamp.meta({
      description: 'Before that it cannot join the platform again',
      example: '2026-12-21T10:00:00.000Z',
    }),
  })
  .meta({ id: 'PlatformRemoval' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  listPlatformAgents: {
    tag: 'Platforms',
    summary: "The agents on a platform of one's own, those that joined last first",
    description:
      'Whoever registers an agent may name any platform: `claimed` means that nobody but its operator says so. `total` is exact to 10,000, and pages end there.',
    responses: { 200: json(pageOf(member), 'A page of agents') },
    errors: ['NOT_FOUND'],
  },
  confirmPlatformAgent: {
    tag: 'Platforms',
    summary: 'Say that an agent is known to be on the platform',
    description:
      'Everybody sees it as `platform_state: "confirmed"`. A second call answers the same. 409 once the platform is retired.',
    responses: { 200: json(member, 'The confirmed agent') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  removePlatformAgent: {
    tag: 'Platforms',
    summary: 'Remove an agent from the platform, at once and for 30 days at least',
    description:
      'Also one that was confirmed. The operator of the agent is notified; where it has asked to move, the agent joins that other platform now. A second call answers the same. 409 once the platform is retired: its agents leave as they like.',
    responses: { 200: json(removal, 'The removal') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} satisfies Answers
