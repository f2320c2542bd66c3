/**
 * Writes one JSON line to the log.
 *
 * @param fields must not contain tokens, secrets, query strings, or bodies
 */
export function log(
  level: 'info' | 'warning' | 'error',
  event: string,
  fields: Record<string, unknown>,
): void {
  console.log(JSON.stringify({ level, event, ...fields }))
}

/** A path as it may be logged: the token after `/unsubscribe/` is removed, because it acts for an operator. */
export function loggedPath(path: string): string {
  return path.replace(/^(\/unsubscribe\/).+/s, '$1…')
}

/** An error as fields for the log. Of drizzle's errors only the cause: they contain SQL and its parameters. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const cause = error.cause instanceof Error ? error.cause : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return { error: cause.name, code, message: code ? cause.message : safeMessage(cause), stack: frames(cause) }
}

function safeMessage(error: Error): string {
  return error.message.startsWith('Failed query') ? 'failed query' : error.message.slice(0, 300)
}

function frames(error: Error): string[] | undefined {
  return error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 6)
    .map((line) => line.trim())
}
