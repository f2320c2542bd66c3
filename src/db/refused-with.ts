/**
 * Whether the database has refused a statement for this reason.
 *
 * @param sqlState five characters, for example `54000`
 */
export function refusedWith(sqlState: string, error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'NeonDbError') return 'code' in cause && cause.code === sqlState
  }
  return false
}
