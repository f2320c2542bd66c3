const ORIGIN = /^[^\s+/]+(\/log(?:\/[1-9]\d{0,5})?)$/

/**
 * The path below which the log of an origin is served. A log that begins anew has another one than before: what caches
 * keep of the old log never stands where the new one has other leaves.
 *
 * @param origin `registry.example/log`, of a later log `registry.example/log/2`
 * @returns `/log` or `/log/2`; null for a text that is no such origin
 *
 * Source: C2SP tlog-tiles: the origin is the URL of the log without its schema.
 */
export function logPath(origin: string): string | null {
  return ORIGIN.exec(origin)?.[1] ?? null
}
