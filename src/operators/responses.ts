import * as z from 'zod'
import { agentCreated } from '../agents/responses.ts'
import { describeRoutes, json } from '../api/responses.ts'
import { each, MAIL_OPT_OUTS, NOTIFICATION_PREFS, OPERATOR_STATUSES, TIERS } from '../db/enums.ts'
import { agentOperator } from '../wire/agent-fields.ts'
import { count, pageOf, recordId, timeOrNull, timestamp, withheld } from '../wire/responses.ts'
import { PREF_TEXTS } from './schema.ts'

const { operator_name, operator_name_verified } = agentOperator

const PREFS_EXAMPLE = { trust_alerts: true, incident_alerts: true, weekly_digest: false, kyc_reminders: true }

export const operator = z
  .object({
    id: recordId,
    email: z.string().meta({ description: 'Email address of the operator', example: 'alice@example.com' }),
    name: z
      .string()
      .meta({ description: 'Public; not checked unless `name_verified` is true', example: 'Alice Smith' }),
    name_verified: operator_name_verified,
    company_name: z
      .string()
      .nullable()
      .meta({ description: 'Not checked, and not shown to anyone else', example: 'Acme Ltd' }),
    company_url: z
      .string()
      .nullable()
      .meta({ description: 'Not checked, and not shown to anyone else', example: 'https://acme.example' }),
    avatar_url: z
      .string()
      .nullable()
      .meta({ description: 'URL of a picture; the registry never fetches it', example: null }),
    role: z.string().meta({ description: 'Role of the account; always `operator`', example: 'operator' }),
    status: z.enum(OPERATOR_STATUSES).meta({
      description: '`suspended`: the credentials of the operator are accepted only for public reads',
    }),
    kyc_status: agentOperator.operator_kyc_status,
    kyc_verified_at: timeOrNull('Time of the last passed identity check; null if none'),
    kyc_expires_at: timeOrNull(
      'Time at which the verification expires; null if none',
      '2027-11-21T10:00:00.000Z',
    ),
    tier: z.enum(TIERS).meta({ description: 'Tier of the operator; sets its quotas' }),
    agent_limit: count(3, 'Maximum number of active agents; set by the tier'),
    notification_prefs: z
      .object(each(NOTIFICATION_PREFS, (pref) => z.boolean().meta({ description: PREF_TEXTS[pref] })))
      .meta({ description: 'Notification settings', example: PREFS_EXAMPLE }),
    mail_opt_outs: z.array(z.enum(MAIL_OPT_OUTS)).meta({
      description:
        'Notification types that are not sent by email; the unsubscribe link in an email adds its type',
      example: [],
    }),
    mail_refused_at: timeOrNull(
      'Time at which email to `email` was stopped, because the address was rejected as undeliverable or an email to it was reported as spam; null if email is not stopped',
      null,
    ),
    created_at: timestamp.meta({ description: 'Time at which the account was created' }),
    updated_at: timestamp.meta({ description: 'Time of the last change' }),
  })
  .meta({ id: 'Operator', description: 'Operator, as shown to itself' })

const publicOperator = z
  .object({
    id: agentOperator.operator_id,
    name: operator_name,
    name_verified: operator_name_verified,
    kyc_status: agentOperator.operator_kyc_status,
    status: agentOperator.operator_status,
    withheld,
    created_at: timestamp.meta({ description: 'Time at which the account was created' }),
    agent_count: count(2, 'Number of active agents'),
    domain_count: count(
      1,
      'Number of distinct verified domains of its active agents; each domain is checked again every week',
    ),
    domains: z.array(z.string()).meta({
      description: 'Verified domains of its active agents in alphabetical order, at most 100',
      example: ['agents.example.com'],
    }),
  })
  .meta({ id: 'PublicOperator', description: 'Public record of an operator' })

export type PublicOperator = z.infer<typeof publicOperator>

/** An agent in its operator's list: the response to its creation, plus its operator's public name. */
const ownAgent = agentCreated
  .extend({ operator_name, operator_name_verified })
  .meta({ id: 'OwnAgent', description: 'Agent, as shown in the list of its operator' })

export const dashboard = z
  .object({
    agent_count: count(3, 'Number of agents, including deactivated ones'),
    active_agent_count: count(2, 'Number of active agents'),
    total_tasks: count(500, 'Number of completed and failed tasks'),
    tasks_completed: count(490, 'Number of completed tasks'),
    tasks_failed: count(10, 'Number of failed tasks'),
    success_rate: z.string().nullable().meta({
      description: 'Percentage of tasks that were completed; null if there are none',
      example: '98.00',
    }),
    incident_count: count(1, 'Number of incidents, including resolved ones'),
    open_incident_count: count(0, 'Number of open incidents'),
    average_trust_score: z.number().nullable().meta({
      description:
        'Mean of the current scores of the active agents. A request recomputes at most 500 scores; further agents count with their stored score, which is at most a day old',
      example: 91.3,
    }),
    average_trust_score_updated: timeOrNull(
      'Time at which the newest of these scores came to be; null if there are none',
    ),
    active_api_keys: count(2, 'Number of active API keys, not including those of platforms'),
  })
  .meta({ id: 'Dashboard', description: 'Totals over all agents of an operator' })

export type Dashboard = z.infer<typeof dashboard>

const ownAgentPage = pageOf(ownAgent).meta({
  id: 'OwnAgentPage',
  description: "Page of an operator's agents",
})

export const responses = describeRoutes('Operators', {
  getOperator: {
    summary: 'Get the signed-in operator',
    description: 'Includes private fields; `GET /operators/{id}` returns the public ones.',
    responses: { 200: json(operator, 'The operator') },
  },
  updateOperator: {
    summary: 'Update the signed-in operator',
    description:
      'Omitted fields keep their values; `notification_prefs` are merged. Changing `name` ends its verification; the next identity check whose document shows the new name verifies it again. The audit log records which fields were changed.',
    responses: { 200: json(operator, 'The updated operator') },
    errors: ['NO_UPDATES', 'CONFLICT'],
  },
  resumeMail: {
    summary: 'Resume email to the signed-in operator after it was stopped',
    description:
      'Email is stopped when the address is rejected as undeliverable or an email is reported as spam (`mail_refused_at`). It also resumes when you sign in after changing the email address of your account at the identity provider. Notifications that were not emailed remain in the list of notifications.',
    responses: { 200: json(operator, 'The operator, with `mail_refused_at` null') },
  },
  listOwnAgents: {
    summary: "List the operator's agents, newest first",
    description: 'Includes deactivated agents.',
    responses: { 200: json(ownAgentPage, 'A page of agents') },
  },
  getPublicOperator: {
    summary: 'Get the public record of an operator',
    description:
      'Use the `operator_id` of an agent profile or verification. To list the agents of the operator, call `GET /agents/search?operator=`. The descriptions of the fields state what was checked and what was not.',
    responses: { 200: json(publicOperator, 'The operator') },
    errors: ['NOT_FOUND'],
  },
  getDashboard: {
    summary: 'Get totals over all agents of the operator',
    description: 'Includes deactivated agents. Counters cover all time.',
    responses: { 200: json(dashboard, 'The totals') },
  },
})
