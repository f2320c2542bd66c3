import type { Load } from './load.ts'

const BATCH = 1_000
const READ_LEAST = 0.85
// Three times as many rows as with one source.
const MOST_ROWS_LEAST = 0.75
const REPORT_LEAST = 0.8
/** The statements Worker calls Redis for each request; the service does not. */
const COUNTED_READ_LEAST = 1.05

/** A measured request of the Worker, and the request of the floor with the same network steps. */
export interface Case {
  name: string
  ours: Call
  floor: Call
  /** The request of the statements Worker. */
  statements?: Call
  /** The required rate relative to the statements Worker. */
  at_least?: number
  /** For cases that measure the counting of callers: the same statements in a Worker that does not count. */
  uncounted?: Call
  /** Events that one request stores. */
  events?: number
}

type Call = Pick<Load, 'method' | 'paths' | 'headers' | 'tokens' | 'bodies' | 'status' | 'each'>

const PUBLIC_FLOOR: Call = {
  method: 'GET',
  paths: ['/public'],
  headers: {},
  tokens: [],
  bodies: [],
  status: 200,
}

/** Agents that have reported on every day of the window, by number. */
export interface Measured {
  /** Agents of the caller, without events since today's snapshot. */
  settled: readonly string[]
  /** Agents with newer events: each request computes the score, from the 90 rows of one source. */
  withNewEvents: readonly string[]
  /** The same with all three sources: no score reads more rows. */
  withMostRows: readonly string[]
}

/**
 * The measured requests.
 *
 * @param keys API keys of the operator; a session would be at its limit after 120 calls, a key after 10,000
 */
export function casesOf(
  { settled: regs, withNewEvents, withMostRows }: Measured,
  keys: readonly string[],
): Case[] {
  const api = (path: string) => `/api/v1${path}`
  const read = (paths: string[], tokens: readonly string[] = []): Call => ({
    method: 'GET',
    paths: paths.map(api),
    headers: {},
    tokens,
    bodies: [],
    status: 200,
  })
  const write = (path: string, bodies: unknown[]): Call => ({
    method: 'POST',
    paths: [path],
    headers: { 'Content-Type': 'application/json' },
    tokens: keys,
    bodies: bodies.map((body) => JSON.stringify(body)),
    status: 201,
  })
  const authenticatedFloor: Call = { ...PUBLIC_FLOOR, paths: ['/authenticated'], tokens: keys }
  const writeFloor = write('/write', [{ name: 'x' }])
  const bare = (path: string, over: readonly string[], tokens: readonly string[] = []): Call => ({
    ...PUBLIC_FLOOR,
    paths: over.map((reg) => `/statements${path}${reg}`),
    tokens,
  })
  const event = (n: number) => ({
    reg: regs[n % regs.length],
    event_type: 'task_completed',
    metadata: { response_ms: 1500, quality: 0.95 },
  })
  return [
    {
      name: 'GET /agents/{reg}',
      ours: read(regs.map((reg) => `/agents/${reg}`)),
      floor: PUBLIC_FLOOR,
      statements: bare('/agents/', regs),
      at_least: READ_LEAST,
    },
    {
      name: 'GET /verify/{reg}',
      ours: read(regs.map((reg) => `/verify/${reg}`)),
      floor: PUBLIC_FLOOR,
      statements: bare('/verify/', regs),
      at_least: READ_LEAST,
    },
    {
      name: 'GET /agents/{reg}/trust-score',
      ours: read(regs.map((reg) => `/agents/${reg}/trust-score`)),
      floor: PUBLIC_FLOOR,
      statements: bare('/trust-score/', regs),
      at_least: READ_LEAST,
    },
    {
      name: 'GET /verify/{reg}, 90 rows',
      ours: read(withNewEvents.map((reg) => `/verify/${reg}`)),
      floor: PUBLIC_FLOOR,
      statements: bare('/verify/', withNewEvents),
      at_least: READ_LEAST,
    },
    {
      name: 'GET /verify/{reg}, 270 rows',
      ours: read(withMostRows.map((reg) => `/verify/${reg}`)),
      floor: PUBLIC_FLOOR,
      statements: bare('/verify/', withMostRows),
      at_least: MOST_ROWS_LEAST,
    },
    ...[1, 60].map((each) => ({
      name: `caller with ${each} ${each === 1 ? 'read' : 'reads'} per minute`,
      ours: { ...read(regs.map((reg) => `/verify/${reg}`)), each },
      floor: { ...PUBLIC_FLOOR, each },
      statements: { ...bare('/verify/', regs), each },
      at_least: COUNTED_READ_LEAST,
      uncounted: { ...bare('/uncounted/', regs), each },
    })),
    {
      name: 'GET /operators/me/dashboard',
      ours: read(['/operators/me/dashboard'], keys),
      floor: authenticatedFloor,
      statements: bare('/dashboard', [''], keys),
      at_least: READ_LEAST,
    },
    {
      name: 'GET /verify/{reg}/full',
      ours: read(
        regs.map((reg) => `/verify/${reg}/full`),
        keys,
      ),
      floor: authenticatedFloor,
      statements: bare('/full/', regs, keys),
      at_least: READ_LEAST,
    },
    {
      name: 'POST /activity/report',
      ours: write(
        api('/activity/report'),
        regs.map((_, n) => event(n)),
      ),
      floor: writeFloor,
      statements: write(
        '/statements/report',
        regs.map((_, n) => event(n)),
      ),
      at_least: REPORT_LEAST,
      events: 1,
    },
    {
      name: 'POST /activity/report/batch',
      ours: write(api('/activity/report/batch'), [
        { events: Array.from({ length: BATCH }, (_, n) => event(n)) },
      ]),
      floor: writeFloor,
      events: BATCH,
    },
  ]
}
