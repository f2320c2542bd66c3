import type { Body, Harness, Operator } from './harness.ts'

/** The audit log of an operator, oldest first; only entries whose action is like a pattern. */
export const auditOf = ({ sql }: Pick<Harness, 'sql'>, { id }: Operator, like = '%'): Promise<Body[]> =>
  sql(
    'select action, target from audit_log where operator_id = $1 and action like $2 order by created_at, action',
    [id, like],
  )

/** A platform as its operator sees it right after registration. */
export const asRegistered = (created: Body) => {
  const { webhook_secret, ...shown } = created
  const unheard = { last_response_at: null, attempts_without_response: 0, webhook_paused_until: null }
  return {
    ...shown,
    ...unheard,
    consecutive_failures: 0,
    failing_since: null,
    previous_secret_expires_at: null,
    texts_withheld_at: null,
  }
}
