/** The message of an error; unwraps the causes of drizzle and fetch, and aggregate errors of connections. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  const isHollow = error.message.startsWith('Failed query') || error.message === 'fetch failed'
  return isHollow && error.cause ? messageOf(error.cause) : error.message
}
