import pg from 'pg'
import { agentId } from './fill.ts'

const CONNECTIONS = 20
const TICK_MS = 5

// Takes the same locks as a report, in any schema since the baseline.
const REPORT = `
  with agent as (select id from agents where id = $1), stats as (
    update agent_stats s set events = s.events + 1, last_active_at = now() from agent where s.agent_id = agent.id
    returning s.agent_id, s.events
  )
  insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
  select gen_random_uuid(), agent_id, events, 'task_completed', 'info', '{"quality": 1}', 'operator', now() from stats`

export interface Load {
  reports: number
  rejected: number
  /** Milliseconds from when a report was due to its end. */
  median: number
  p99: number
  longest: number
}

/**
 * Sends reports at a constant rate, whatever their results, with the timeouts of the Worker's role.
 *
 * @returns a function that ends the load and returns its measurements
 */
export function startLoad(url: string, agents: number, perSecond: number): () => Promise<Load> {
  const options = '-c statement_timeout=5s -c lock_timeout=3s'
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options })
  pool.on('error', () => undefined)
  const times: number[] = []
  const open = new Set<Promise<unknown>>()
  const began = performance.now()
  let sent = 0
  let rejected = 0
  const report = (due: number) => {
    const one = pool
      .query(REPORT, [agentId(Math.floor(Math.random() * agents))])
      .catch(() => rejected++)
      .then(() => times.push(performance.now() - due))
      .finally(() => open.delete(one))
    open.add(one)
  }
  const timer = setInterval(() => {
    for (; began + (1000 * sent) / perSecond <= performance.now(); sent++)
      report(began + (1000 * sent) / perSecond)
  }, TICK_MS)
  return async () => {
    clearInterval(timer)
    await Promise.all(open)
    await pool.end()
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
    return { reports: times.length, rejected, median: at(0.5), p99: at(0.99), longest: at(1) }
  }
}
