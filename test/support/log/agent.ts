import { randomUUID } from 'node:crypto'
import { addEvent, emptyAccount } from '../../../scripts/recompute/account.ts'
import type { Source } from '../../../src/db/enums.ts'
import { DAY_MS, utcDay } from '../../../src/lib/time.ts'
import type { Leaf } from '../../../src/transparency/leaf.ts'
import { hashInputs, INPUT_FIELDS } from '../../../src/trust/inputs.ts'
import type { Rollup } from '../../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, SCORES, scoreAgent, type TrustScore } from '../../../src/trust/score.ts'
import { windowOf } from '../../../src/trust/window.ts'

/** An event in the storage of a service. */
export interface StoredEvent {
  seq: number
  id: string
  event_type: string
  severity: string
  reported_by: string
  source: Source
  platform: string | null
  created_at: string
  metadata: Record<string, unknown>
  redacted: boolean
}

type Score = Pick<TrustScore, (typeof SCORES)[number] | 'events_considered'> & { day: string; inputs: string }
type DayLeaf = Extract<Leaf, { kind: 'day' }>

/** The data of an agent in the storage of a service, without the log. */
export interface StoredAgent {
  profile: { reg: string; registered_at: string } & Record<string, unknown>
  /** The current revision of the profile. */
  revision: number
  events: StoredEvent[]
  /** The day on which each of its incidents was opened. */
  incidents: string[]
  rows: Rollup[]
  history: Score[]
}

const STEPS: [type: string, severity: string, metadata: Record<string, unknown>][] = [
  ['startup', 'info', {}],
  ['task_completed', 'info', { quality: 0.95, response_ms: 1_500 }],
  ['task_completed', 'info', { response_ms: 5_000, note: 'naïve 日本' }],
  ['task_failed', 'error', { code: 'E42' }],
  ['task_completed', 'info', { quality: 1 }],
  ['shutdown', 'error', {}],
  ['startup', 'info', {}],
  ['incident', 'warning', { title: 'slow' }],
]

/** An agent without events, registered some days ago. */
export function newStoredAgent(reg: string, daysAgo: number): StoredAgent {
  const profile = {
    reg,
    name: 'Courier',
    description: 'fetches parcels',
    class: 'A',
    specializations: ['mail'],
    status: 'active',
    domain: null,
    platform_slug: 'acme',
    platform_state: 'confirmed',
    platform_since: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    registered_at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  }
  return { profile, revision: 0, events: [], incidents: [], rows: [], history: [] }
}

/** Adds the events of a day: tasks, failures, an outage, an incident. */
export function addDay({ events }: StoredAgent, day: string, count: number): void {
  const start = Date.parse(`${day}T00:00:01.000Z`)
  for (let n = 0; n < count; n++) {
    const [event_type, severity, metadata] = STEPS[n % STEPS.length] ?? ['note', 'info', {}]
    events.push({
      seq: events.length + 1,
      id: randomUUID(),
      event_type,
      severity,
      reported_by: n % 3 === 0 ? 'operator' : 'platform',
      source: n % 3 === 0 ? 'self' : 'independent',
      platform: n % 3 === 0 ? null : 'acme',
      created_at: new Date(start + n * 1_000).toISOString(),
      metadata,
      redacted: false,
    })
  }
}

/** Computes all rows again, and scores each finished day. */
export async function settle(agent: StoredAgent): Promise<void> {
  addUp(agent)
  await score(agent)
}

function addUp(agent: StoredAgent): void {
  const account = emptyAccount()
  for (const event of agent.events) {
    addEvent(account, { ...event, at_ms: Date.parse(event.created_at), added: null })
  }
  agent.rows = [...account.rows.values()]
}

/** Scores each finished day with the current rows. */
export async function score(agent: StoredAgent): Promise<void> {
  agent.history = []
  let before: TrustScore | null = null
  const [first] = agent.rows.map(({ day }) => day).sort()
  if (first === undefined) return
  for (let day = first; day < utcDay(new Date()); day = utcDay(new Date(Date.parse(day) + DAY_MS))) {
    const now = scoreAgent(agent.rows, day)
    const moved = [...SCORES, 'events_considered' as const].some((name) => now?.[name] !== before?.[name])
    if (now && moved) {
      agent.history.push({ ...now, day, inputs: await hashInputs(windowOf(agent.rows, day).rows) })
    }
    before = now
  }
}

/** The leaf of a finished day, from the stored rows and history; null for a day without either. */
export function dayLeaf(agent: StoredAgent, day: string): DayLeaf | null {
  const { profile, events, rows, history } = agent
  const own = rows.filter((row) => row.day === day)
  const score = history.find((one) => one.day === day)
  if (own.length === 0 && !score) return null
  const seq = events.filter(({ created_at }) => created_at.slice(0, 10) <= day).length
  return {
    v: 1,
    kind: 'day',
    reg: profile.reg,
    day,
    rev: 1,
    seq,
    totals: { events: seq, ...countersOf(agent, day) },
    open_outages: 0,
    rows: own.map((row) => INPUT_FIELDS.map((name) => row[name])) as DayLeaf['rows'],
    score: score ? toLeafScore(score) : null,
  }
}

/** The counters of an agent at the end of a day. */
export function countersOf({ rows, incidents }: StoredAgent, day: string) {
  const counted = rows.filter((row) => row.day <= day)
  return {
    tasks_completed: counted.reduce((sum, { completed }) => sum + completed, 0),
    tasks_failed: counted.reduce((sum, { failed }) => sum + failed, 0),
    incident_count: incidents.filter((opened) => opened <= day).length,
  }
}

function toLeafScore(score: Score): DayLeaf['score'] {
  const [overall, reliability, accuracy, safety, speed, consistency] = SCORES.map((name) =>
    score[name].toFixed(1),
  ) as [string, string, string, string, string, string]
  const points = { overall, reliability, accuracy, safety, speed, consistency }
  return { ...points, events: score.events_considered, alg: ALGORITHM_VERSION, inputs: score.inputs }
}
