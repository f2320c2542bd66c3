import type { Load } from '../../support/load/drive.ts'

const BATCH = 1_000
const READ_LEAST = 0.85
// Three times as many rows as with one source.
const MOST_ROWS_LEAST = 0.75
const REPORT_LEAST = 0.8
const PAGE_LEAST = 0.67 // 1.5 times as long
/** The statements Worker calls Redis for each request; the service does not. */
const COUNTED_READ_LEAST = 1.05

/** A measured request of the service. */
export interface Case {
  name: string
  ours: Call
  /** The request of the statements Worker. */
  statements?: Call
  /** For a page: its contents in JSON, with which it is compared instead, for one visitor at a time. */
  json?: Call
  /** The required rate relative to the other one. */
  at_least?: number
  /** Whether the requests to Redis are limited. */
  isCounted?: boolean
  /** Events that one request stores. */
  events?: number
}

type Call = Pick<Load, 'method' | 'paths' | 'headers' | 'tokens' | 'bodies' | 'status' | 'each'>

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
  const read = (paths: string[], tokens: readonly string[] = []) => get(paths.map(api), tokens)
  const get = (paths: string[], tokens: readonly string[]): Call => ({
    method: 'GET',
    paths,
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
  const bare = (path: string, over: readonly string[], tokens: readonly string[] = []) =>
    get(
      over.map((reg) => `/statements${path}${reg}`),
      tokens,
    )
  const publicRead = (name: string, path: string, over: readonly string[]): Case => ({
    name,
    ours: read(over.map((reg) => path + reg)),
    statements: bare(path, over),
    at_least: READ_LEAST,
  })
  const page = (name: string, over: readonly string[], query = ''): Case => ({
    name: `page: agent with ${name}`,
    ours: get(
      over.map((reg) => `/agents/${reg}${query}`),
      [],
    ),
    json: read(over.map((reg) => `/agents/${reg}`)),
  })
  const event = (n: number) => ({
    reg: regs[n % regs.length],
    event_type: 'task_completed',
    metadata: { response_ms: 1500, quality: 0.95 },
  })
  return [
    publicRead('GET /agents/{reg}', '/agents/', regs),
    publicRead('GET /verify/{reg}', '/verify/', regs),
    {
      name: 'GET /agents/{reg}/trust-score',
      ours: read(regs.map((reg) => `/agents/${reg}/trust-score`)),
      statements: bare('/trust-score/', regs),
      at_least: READ_LEAST,
    },
    publicRead('GET /verify/{reg}, 90 rows', '/verify/', withNewEvents),
    { ...publicRead('GET /verify/{reg}, 270 rows', '/verify/', withMostRows), at_least: MOST_ROWS_LEAST },
    ...[1, 60].map((each) => ({
      name: `caller with ${each} ${each === 1 ? 'read' : 'reads'} per minute`,
      ours: { ...read(regs.map((reg) => `/verify/${reg}`)), each },
      statements: { ...bare('/verify/', regs), each },
      at_least: COUNTED_READ_LEAST,
      isCounted: true,
    })),
    {
      name: 'GET /operators/me/dashboard',
      ours: read(['/operators/me/dashboard'], keys),
      statements: bare('/dashboard', [''], keys),
      at_least: READ_LEAST,
    },
    {
      name: 'GET /verify/{reg}/full',
      ours: read(
        regs.map((reg) => `/verify/${reg}/full`),
        keys,
      ),
      statements: bare('/full/', regs, keys),
      at_least: READ_LEAST,
    },
    { ...page('new events', withNewEvents), at_least: PAGE_LEAST },
    { ...page('the most rows', withMostRows), at_least: PAGE_LEAST },
    page('the most rows, a year', withMostRows, '?days=365'), // which few visitors open
    page('a stored score', regs), // whose profile reads none of the rows that its page draws
    {
      name: 'POST /activity/report',
      ours: write(
        api('/activity/report'),
        regs.map((_, n) => event(n)),
      ),
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
      events: BATCH,
    },
  ]
}
