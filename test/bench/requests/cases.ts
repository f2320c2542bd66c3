import type { Load } from '../../support/load/drive.ts'

const BATCH = 1_000

/** A measured request of the service. */
export interface Case {
  name: string
  load: Pick<Load, 'paths' | 'tokens' | 'bodies' | 'each'>
  /** Whether its requests to Redis are limited. */
  isCounted?: boolean
  /** Events that one request stores. */
  events?: number
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

/** Reads of paths. */
export const get = (paths: readonly string[], tokens: readonly string[] = []): Case['load'] => ({
  paths,
  tokens,
  bodies: [],
})

/**
 * The measured requests.
 *
 * @param keys API keys of the operator; a session would be at its limit after 120 calls, a key after 10,000
 */
export function casesOf(
  { settled: regs, withNewEvents, withMostRows }: Measured,
  keys: readonly string[],
): Case[] {
  const write = (path: string, bodies: unknown[]): Case['load'] => ({
    paths: [`/api/v1${path}`],
    tokens: keys,
    bodies: bodies.map((body) => JSON.stringify(body)),
  })
  const verify = (over: readonly string[]) => get(over.map((reg) => `/api/v1/verify/${reg}`))
  const event = (n: number) => ({
    reg: regs[n % regs.length],
    event_type: 'task_completed',
    metadata: { response_ms: 1500, quality: 0.95 },
  })
  return [
    { name: 'GET /agents/{reg}', load: get(regs.map((reg) => `/api/v1/agents/${reg}`)) },
    { name: 'GET /verify/{reg}', load: verify(regs) },
    {
      name: 'GET /agents/{reg}/trust-score',
      load: get(regs.map((reg) => `/api/v1/agents/${reg}/trust-score`)),
    },
    { name: 'GET /verify/{reg}, 90 rows', load: verify(withNewEvents) },
    { name: 'GET /verify/{reg}, 270 rows', load: verify(withMostRows) },
    ...[1, 60].map((each) => ({
      name: `caller with ${each} ${each === 1 ? 'read' : 'reads'} per minute`,
      load: { ...verify(regs), each },
      isCounted: true,
    })),
    { name: 'GET /operators/me/dashboard', load: get(['/api/v1/operators/me/dashboard'], keys) },
    {
      name: 'GET /verify/{reg}/full',
      load: get(
        regs.map((reg) => `/api/v1/verify/${reg}/full`),
        keys,
      ),
    },
    { name: 'page of an agent, 270 rows', load: get(withMostRows.map((reg) => `/agents/${reg}`)) },
    {
      name: 'POST /activity/report',
      load: write(
        '/activity/report',
        regs.map((_, n) => event(n)),
      ),
      events: 1,
    },
    {
      name: 'POST /activity/report/batch',
      load: write('/activity/report/batch', [{ events: Array.from({ length: BATCH }, (_, n) => event(n)) }]),
      events: BATCH,
    },
  ]
}
