import { DrizzleQueryError } from 'drizzle-orm'

export const STATEMENT_TIMEOUT = '57014'
// Postgres classes: 08 connection, 40 rolled back (deadlock), 53 resources, 55P03 lock not available, 57 operator intervention (time-out, shutdown)
const UNAVAILABLE = /^(08|40|53|57|55P03)/

/** Whether an error means that the database could not be asked, or not in time: a repeat may succeed. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return true
    if (cause.name === 'NeonDbError') {
      const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
      return code === '' || UNAVAILABLE.test(code)
    }
    // A query that failed without the driver's own error had a response that broke off or was none.
    if (cause instanceof DrizzleQueryError && cause.cause?.name !== 'NeonDbError') return true
  }
  return false
}

/** Whether a statement failed by itself, and would again: other than when the database could not be asked, or was busy. */
export function isHopeless(error: unknown): boolean {
  return !isUnavailable(error) || rejectedWith(STATEMENT_TIMEOUT, error)
}

/**
 * Whether the database has rejected a statement for this reason.
 *
 * @param sqlState five characters, for example `54000`
 */
export function rejectedWith(sqlState: string, error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'NeonDbError') return 'code' in cause && cause.code === sqlState
  }
  return false
}
