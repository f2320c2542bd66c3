import * as z from 'zod'
import { agentCreated } from '../agents/answers.ts'
import { type Answers, json } from '../api/answers.ts'
import { NOTIFICATION_TYPES, OPERATOR_STATUSES, TIERS } from '../db/enums.ts'
import {
  count,
  kycStatus,
  nameVerified,
  operatorId,
  operatorName,
  operatorStatus,
  pageOf,
  recordId,
  timestamp,
} from '../wire/answers.ts'

const PREFS_EXAMPLE = { trust_alerts: true, incident_alerts: true, weekly_digest: false, kyc_reminders: true }

/** The operator as it sees itself. */
export const operator = z
  .object({
    id: recordId,
    email: z.string().meta({ example: 'alice@example.com' }),
    name: z
      .string()
      .meta({ description: 'Public, and free text until it is verified', example: 'Alice Smith' }),
    name_verified: nameVerified,
    company_name: z
      .string()
      .nullable()
      .meta({ description: 'Checked by nobody, and shown to nobody else', example: 'Acme Ltd' }),
    company_url: z.string().nullable().meta({ example: 'https://acme.example' }),
    avatar_url: z.string().nullable().meta({ example: null }),
    role: z.string().meta({ example: 'operator' }),
    status: z.enum(OPERATOR_STATUSES),
    kyc_status: kycStatus,
    kyc_verified_at: timestamp.nullable(),
    kyc_expires_at: timestamp.nullable().meta({ example: '2027-11-21T10:00:00.000Z' }),
    tier: z.enum(TIERS),
    agent_limit: count(3, 'How many agents may be active at once; set by the tier'),
    notification_prefs: z
      .object({
        trust_alerts: z.boolean(),
        incident_alerts: z.boolean(),
        weekly_digest: z.boolean(),
        kyc_reminders: z.boolean(),
      })
      .meta({ example: PREFS_EXAMPLE }),
    mail_unsubscribed: z.array(z.enum(NOTIFICATION_TYPES)).meta({
      description:
        'Types of notifications that are not sent by mail: each mail has a link that adds its type',
      example: [],
    }),
    mail_refused_at: timestamp.nullable().meta({
      description:
        'When `email` was refused as an address: nothing is mailed to it since. Null while it is mailed',
      example: null,
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Operator' })

/** An operator as anybody sees it. */
const publicOperator = z
  .object({
    id: operatorId,
    name: operatorName,
    name_verified: nameVerified,
    kyc_status: kycStatus,
    status: operatorStatus,
    created_at: timestamp,
    agent_count: count(2, 'Its active agents'),
    domain_count: count(
      1,
      'Different domains that were proved for its active agents, and are looked up every week',
    ),
    domains: z
      .array(z.string())
      .meta({ description: 'The first 100 of them by name', example: ['agents.example.com'] }),
  })
  .meta({ id: 'PublicOperator' })

export type PublicOperator = z.infer<typeof publicOperator>

/** An agent in its operator's list: the creation form, and how the public sees its operator. */
const ownAgent = agentCreated
  .extend({ operator_name: operatorName, operator_name_verified: nameVerified })
  .meta({ id: 'OwnAgent' })

export type OwnAgent = z.infer<typeof ownAgent>

/** The numbers of GET /operators/me/dashboard. */
export const dashboard = z
  .object({
    agent_count: count(3),
    active_agent_count: count(2),
    total_tasks: count(500),
    tasks_completed: count(490),
    tasks_failed: count(10),
    success_rate: z.string().nullable().meta({ example: '98.00' }),
    incident_count: count(1),
    open_incident_count: count(0),
    average_trust_score: z.number().nullable().meta({
      description:
        'Mean of the scores of the active agents, as their profiles show them; of more than 500 whose scores are being computed, the rest count with those of the last minute or day',
      example: 91.3,
    }),
    active_api_keys: count(2),
  })
  .meta({ id: 'Dashboard' })

export type Dashboard = z.infer<typeof dashboard>

/** What the document says of these routes, and what they answer. */
export const answers = {
  getOperator: {
    tag: 'Operators',
    summary: 'The signed-in operator',
    responses: { 200: json(operator, 'The operator') },
  },
  updateOperator: {
    tag: 'Operators',
    summary: 'Change the signed-in operator',
    description:
      'Fields that are not given stay as they are; `notification_prefs` are merged. Another `name` is not verified: a verified one is lost by any change, and comes back with the next identity check whose document bears it. The audit log names what was changed.',
    responses: { 200: json(operator, 'The changed operator') },
    errors: ['NO_UPDATES'],
  },
  resumeMail: {
    tag: 'Operators',
    summary: 'Mail the signed-in operator again whose address was refused',
    description:
      'A sign-in with another address does the same. What was not mailed meanwhile stays in the list of notifications.',
    responses: { 200: json(operator, 'The operator, with `mail_refused_at` null') },
  },
  listOwnAgents: {
    tag: 'Operators',
    summary: "The operator's agents, newest first",
    responses: { 200: json(pageOf(ownAgent), 'A page of agents') },
  },
  getPublicOperator: {
    tag: 'Operators',
    summary: 'Who answers for an agent: the public record of an operator, by its permanent id',
    description:
      'The `operator_id` of profiles and verifications leads here; `GET /agents/search?operator=` lists its agents. Each field says what was checked and what was not.',
    responses: { 200: json(publicOperator, 'The operator') },
    errors: ['NOT_FOUND'],
  },
  getDashboard: {
    tag: 'Operators',
    summary: 'Sums over all agents of the operator',
    responses: { 200: json(dashboard, 'The sums') },
  },
} satisfies Answers
