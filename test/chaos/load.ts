import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plant } from './plant.ts'
import { call, type Site, type SiteResponse } from './site.ts'

const CLIENTS = 6
const PAUSE_MS = 20
const PAUSE_AFTER_FAILURE_MS = 100
const REGISTRATIONS_MAX = 60 // a session may make 120 calls a minute, and each of them may be repeated
const BATCH = 10
const INCIDENT_PAUSE_MS = 6_000 // of an agent at most 20 a minute are told
const AWAIT_MS = 30_000
const RETRIES = 40

const KINDS = [
  { event_type: 'task_completed', metadata: { response_ms: 800, quality: 1 } },
  { event_type: 'task_failed', severity: 'error' },
  { event_type: 'heartbeat' },
  { event_type: 'startup' },
  { event_type: 'shutdown' },
]

const lastIncidents = new Map<string, number>()

/** A request that is to be done once, whatever becomes of it. */
export interface Write {
  path: '/activity/report' | '/activity/report/batch' | '/agents'
  key: string
  body: object
  /** A text of its own for each event of it, or for its agent. */
  marks: string[]
  /** Those of which a webhook tells. */
  reported: string[]
  /** The time that the Worker took for now; null for the real one. */
  now: Date | null
  /** The response that the client has; null when it does not know what became of the request. */
  response: SiteResponse | null
  /** What it was rejected with, 503, at its first time. */
  rejection: string | null
}

export interface Load {
  writes: Write[]
  /** Responses that no client should get. */
  breaches: string[]
  /** The longest that a client waited for a response. */
  slowestMs: number
  /** What the Worker is told to take for now, as a distance from the real time. */
  shiftMs: number
  /** Waits until so many more writes have been answered. */
  answered(count: number): Promise<void>
  /** Waits until so many more writes got no response, or 503. */
  unanswered(count: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Writes, whatever is down, until it is stopped. Nothing is repeated meanwhile.
 *
 * @param pauseMs of each client after a response
 */
export function startLoad(plant: Plant, site: Site, pauseMs = PAUSE_MS): Load {
  let isRunning = true
  let registrations = 0
  const count = { answered: 0, unanswered: 0 }

  function next(): Write {
    const draw = randomInt(24)
    if (draw < 2 && registrations < REGISTRATIONS_MAX) {
      registrations += 1
      return registration(site)
    }
    if (draw < 5) return report(site, BATCH)
    return report(site, 1)
  }

  async function client(): Promise<void> {
    while (isRunning) {
      const write = next()
      if (load.shiftMs !== 0) write.now = new Date(Date.now() + load.shiftMs)
      load.writes.push(write)
      const began = performance.now()
      await send(plant, site, write, load.breaches)
      load.slowestMs = Math.max(load.slowestMs, performance.now() - began)
      count[write.response ? 'answered' : 'unanswered'] += 1
      await sleep(write.response ? pauseMs : PAUSE_AFTER_FAILURE_MS)
    }
  }

  async function reach(kind: keyof typeof count, more: number): Promise<void> {
    const goal = count[kind] + more
    for (const until = Date.now() + AWAIT_MS; count[kind] < goal; await sleep(10)) {
      if (load.breaches.length > 0) throw new Error(load.breaches[0])
      if (Date.now() > until) throw new Error(`${goal - count[kind]} of ${more} writes were never ${kind}`)
    }
  }

  const load: Load = {
    writes: [],
    breaches: [],
    slowestMs: 0,
    shiftMs: 0,
    answered: (more) => reach('answered', more),
    unanswered: (more) => reach('unanswered', more),
    async stop() {
      isRunning = false
      await Promise.all(clients)
    },
  }
  const clients = Array.from({ length: CLIENTS }, client)
  return load
}

/** Sends a write once; a repeat has the same key, and its first time. */
export async function send(
  plant: Plant,
  site: Site,
  write: Write,
  breaches: string[],
): Promise<SiteResponse | null> {
  const { path, body, key, now } = write
  const token = path === '/agents' ? site.session : site.key
  const response = await call(plant, path, { token, body, key, now })
  if (response?.status === 201) write.response ??= response
  else if (response?.status === 503) write.rejection ??= response.text
  else if (response) breaches.push(`POST ${path}: ${response.status} ${response.text}`)
  return response
}

/** Repeats a write until it is answered, as its client would; returns the last response. */
export async function settle(
  plant: Plant,
  site: Site,
  write: Write,
  breaches: string[],
): Promise<SiteResponse> {
  for (let n = 0; n < RETRIES; n++) {
    const response = await send(plant, site, write, breaches)
    if (response?.status === 201) return response
    if (breaches.length > 0) break
    await sleep(PAUSE_AFTER_FAILURE_MS)
  }
  throw new Error(`POST ${write.path} stays without a response`)
}

function report({ agents }: Site, size: number): Write {
  const marks = Array.from({ length: size }, () => randomUUID())
  const reported: string[] = []
  const events = marks.map((mark, n) => {
    const reg = agents[randomInt(agents.length)] ?? ''
    const isIncident = n === 0 && randomInt(4) === 0 && mayTell(reg)
    if (isIncident) reported.push(mark)
    const kind = isIncident
      ? { event_type: 'incident', severity: 'warning', metadata: { description: mark } }
      : KINDS[randomInt(KINDS.length)]
    return { reg, ...kind, metadata: { ...kind?.metadata, mark } }
  })
  const [one = {}] = events
  const request =
    size === 1
      ? { path: '/activity/report' as const, body: one }
      : { path: '/activity/report/batch' as const, body: { events } }
  return { ...request, ...fresh(), marks, reported }
}

/** Whether an incident of an agent is told: repeats may bring what was lost in a fault into one minute. */
function mayTell(reg: string): boolean {
  const isSoon = Date.now() - (lastIncidents.get(reg) ?? 0) < INCIDENT_PAUSE_MS
  if (!isSoon) lastIncidents.set(reg, Date.now())
  return !isSoon
}

function registration({ platform }: Site): Write {
  const mark = randomUUID()
  const body = { name: mark, class: 'A', platform_slug: platform }
  return { path: '/agents', body, ...fresh(), marks: [mark], reported: [mark] }
}

const fresh = () => ({ key: randomUUID(), now: null, response: null, rejection: null })
