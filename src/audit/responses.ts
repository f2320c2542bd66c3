import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { pageOf, recordId, timestamp } from '../wire/responses.ts'

const auditEntry = z
  .object({
    id: recordId,
    action: z.string().meta({
      description: 'The action, as object and verb separated by a dot; more actions may be added',
      example: 'platform.updated',
    }),
    target: z.string().nullable().meta({
      description:
        'The object of the action: an agent number; the slug of a platform; both, separated by a slash; the ID of a key, session, check, or event; a tier; or the names of the changed fields',
      example: 'acme-market',
    }),
    created_at: timestamp.meta({ description: 'Time of the action' }),
  })
  .meta({ id: 'AuditEntry', description: 'Security-relevant action on an account' })

const auditPage = pageOf(auditEntry).meta({ id: 'AuditPage', description: 'Page of the audit log' })

export const responses = describeRoutes('Operators', {
  listAuditLog: {
    summary: "List security-relevant actions on the operator's account, newest first",
    description:
      "Includes sign-ins and sign-outs; changes to API keys, platforms, webhook secrets, and agents on platforms; deactivations of agents; verifications of domains; changes to the operator's own record; identity checks; suspensions; tier changes; and redactions.",
    responses: { 200: json(auditPage, 'Page of the audit log') },
  },
})
