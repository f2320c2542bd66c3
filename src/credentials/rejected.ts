const REMEMBERED_MAX = 10_000
const REMEMBERED_MS = 2_000

/**
 * Credentials that were found to be unknown, expired, or revoked, by the SHA-256 of their token. None of these can become
 * valid again, so remembering them for a moment keeps a flood of them away from the database.
 */
const rejectedAt = new Map<string, number>()

/** Whether a credential was rejected a moment ago. */
export function wasRejected(tokenHash: string, now: Date): boolean {
  const at = rejectedAt.get(tokenHash)
  return at !== undefined && at <= now.getTime() && now.getTime() < at + REMEMBERED_MS
}

export function rememberRejected(tokenHash: string, now: Date): void {
  if (rejectedAt.size >= REMEMBERED_MAX) rejectedAt.delete(rejectedAt.keys().next().value ?? '')
  rejectedAt.set(tokenHash, now.getTime())
}
