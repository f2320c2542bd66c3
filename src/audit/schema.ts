import * as z from 'zod'
import { pageQuery } from '../wire/page.ts'
import { AUDIT_ACTIONS } from './actions.ts'

export const auditQuery = z.object({
  action: z
    .enum(AUDIT_ACTIONS, { error: 'must be an action of the audit log; /api/v1/openapi.json lists them' })
    .optional()
    .meta({
      param: { name: 'action', in: 'query' },
      description: 'Only entries of this action',
      example: 'platform.updated',
    }),
  ...pageQuery,
})

export type AuditQuery = z.infer<typeof auditQuery>
