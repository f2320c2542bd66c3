import { DrizzleQueryError } from 'drizzle-orm'

export const STATEMENT_TIMEOUT = '57014'
// Postgres: 08 connection, 40 rollback (deadlock), 53 resources, 55P03 lock not available, 57 timeout or shutdown
const UNAVAILABLE = /^(08|40|53|57|55P03)/

/** Whether an error means that the database was unreachable or too slow, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return true
    if (cause.name === 'NeonDbError') {
      const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
      return code === '' || UNAVAILABLE.test(code)
    }
    // A failed query without an error of the driver: its response was interrupted or invalid.
    if (cause instanceof DrizzleQueryError && cause.cause?.name !== 'NeonDbError') return true
  }
  return false
}

/** Whether a statement would fail again: the database was available, or the statement itself exceeded its time limit. */
export function isHopeless(error: unknown): boolean {
  return !isUnavailable(error) || rejectedWith(STATEMENT_TIMEOUT, error)
}

/**
 * Whether the database rejected a statement with this SQLSTATE.
 *
 * @param sqlState five characters, for example `54000`
 */
export function rejectedWith(sqlState: string, error: unknown): boolean {
  return driverError(error)?.code === sqlState
}

const REQUIREMENT = 'RQ001' // raised by the SQL function require

/** The code of the requirement of a transaction that was not met; null if it failed for another reason. */
export function unmetRequirement(error: unknown): string | null {
  const cause = driverError(error)
  return cause?.code === REQUIREMENT ? cause.message : null
}

function driverError(error: unknown): (Error & { code?: unknown }) | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'NeonDbError') return cause
  }
  return null
}
