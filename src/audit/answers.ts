import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { pageOf, recordId, timestamp } from '../wire/answers.ts'

/** An entry of an operator's audit log. */
const auditEntry = z
  .object({
    id: recordId,
    action: z.string().meta({
      description: 'What was done: the kind of thing, a dot, and the deed; more may be added',
      example: 'platform.updated',
    }),
    target: z.string().nullable().meta({
      description:
        'To what: an agent number, the slug of a platform, both with a slash between them, the id of a key, a session, a check or an event, a tier, the names of changed fields',
      example: 'acme-market',
    }),
    created_at: timestamp,
  })
  .meta({ id: 'AuditEntry' })

/** The answer to GET /operators/me/audit-log. */
const auditPage = pageOf(auditEntry).meta({ id: 'AuditPage' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  listAuditLog: {
    tag: 'Operators',
    summary: "What was done to the operator's account that matters for its security, newest first",
    description:
      'Sign-ins and sign-outs, keys, platforms, their secrets and their agents, deactivations, proofs of domains, changes of the own record, identity checks, suspensions, tiers and redactions.',
    responses: { 200: json(auditPage, 'A page of the log') },
  },
} satisfies Answers
