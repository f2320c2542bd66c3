const ORIGIN = /^[^\s+/]+(\/log(?:\/[1-9]\d{0,5})?)$/

/**
 * The path under which the log with this origin is served. A log that is started again gets a new path, because caches
 * keep tiles of the old log that differ from those of the new one.
 *
 * @param origin `registry.example/log`, or for a later log `registry.example/log/2`
 * @returns `/log` or `/log/2`; null if the text is not such an origin
 *
 * Source: C2SP tlog-tiles: the origin is the URL of the log without its scheme.
 */
export function logPath(origin: string): string | null {
  return ORIGIN.exec(origin)?.[1] ?? null
}
