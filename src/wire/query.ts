const CURSOR = 'cursor' // an empty one requests the first page

/** The parameters of a query that count as given: a form sends an empty text for each filter that is not in use. */
export function withoutEmpty<Value>(query: Record<string, Value>): Record<string, Value> {
  const isGiven = ([name, value]: [string, Value]) =>
    name === CURSOR || typeof value !== 'string' || value.trim() !== ''
  return Object.fromEntries(Object.entries(query).filter(isGiven))
}
