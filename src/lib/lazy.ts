/**
 * A function that makes a value at its first call, and returns the same one at every later call.
 *
 * Schemas are made this way: building all of them would take a tenth of the time from the start of an isolate to its
 * first response, which needs one or two (docs/decisions/0038-schemas-are-built-at-their-first-use.md).
 */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
