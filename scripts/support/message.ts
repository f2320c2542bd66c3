/** What an error says, in one text: drizzle and connections to several addresses hide it in causes and lists. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.message.startsWith('Failed query') && error.cause ? messageOf(error.cause) : error.message
}
