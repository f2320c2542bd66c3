import * as z from 'zod'
import { wordParam } from '../wire/fields.ts'
import { pageQuery } from '../wire/page.ts'
import { AUDIT_ACTIONS } from './actions.ts'

const UNKNOWN_ACTION = 'must be an action of the audit log; /api/v1/openapi.json lists them'

export const auditQuery = z.object({
  action: wordParam('action', AUDIT_ACTIONS, UNKNOWN_ACTION, {
    description: 'Only entries of this action',
    example: 'platform.updated',
  }),
  ...pageQuery,
})

export type AuditQuery = z.infer<typeof auditQuery>
