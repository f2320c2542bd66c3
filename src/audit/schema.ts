import { z } from '@hono/zod-openapi'
import { recordId, timestamp } from '../wire/fields.ts'
import { pagination } from '../wire/page.ts'

/** An entry of an operator's audit log. */
export const auditEntry = z
  .object({
    id: recordId,
    action: z.string().openapi({
      description: 'What was done: the kind of thing, a dot, and the deed; more may be added',
      example: 'platform.updated',
    }),
    target: z.string().nullable().openapi({
      description:
        'To what: an agent number, the slug of a platform, the id of a key, a session or a check, a tier',
      example: 'acme-market',
    }),
    created_at: timestamp,
  })
  .openapi('AuditEntry')

/** The answer to GET /operators/me/audit-log. */
export const auditPage = z.object({ data: z.array(auditEntry), pagination }).openapi('AuditPage')
