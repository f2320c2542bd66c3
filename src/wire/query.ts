const CURSOR = 'cursor' // an empty one requests the first page

/** The parameters of a query that count as given: a form sends an empty text for each filter that is not in use. */
export function withoutEmpty<Value extends string | string[]>(
  query: Record<string, Value>,
): Record<string, Value> {
  const isGiven = ([name, value]: [string, Value]) => name === CURSOR || String(value).trim() !== ''
  return Object.fromEntries(Object.entries(query).filter(isGiven))
}
