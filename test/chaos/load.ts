import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plant } from './plant.ts'
import { call, type Site, type SiteResponse } from './site.ts'

const CLIENTS = 6
const PAUSE_MS = 20
const PAUSE_AFTER_FAILURE_MS = 100
const REGISTRATIONS_MAX = 60 // a session may make 120 calls per minute, and each may be repeated
const BATCH = 10
const INCIDENT_PAUSE_MS = 6_000 // at most 20 per agent and minute are sent
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

/** A request that must take effect once. */
export interface Write {
  path: '/activity/report' | '/activity/report/batch' | '/agents'
  key: string
  body: object
  /** A unique text for each of its events, or for its agent. */
  marks: string[]
  /** The marks that a webhook event must have. */
  reported: string[]
  /** The test clock of the request; null for the real time. */
  now: Date | null
  /** The first successful response; null if the client does not know the outcome. */
  response: SiteResponse | null
  /** Body of the first 503. */
  rejection: string | null
}

export interface Load {
  writes: Write[]
  /** Unexpected responses. */
  breaches: string[]
  /** The longest that a client waited for a response. */
  slowestMs: number
  /** Offset of the test clock from the real time. */
  shiftMs: number
  /** Waits for this many more successful writes. */
  succeeded(count: number): Promise<void>
  /** Waits for this many more writes without a response, or with 503. */
  failed(count: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Writes continuously until it is stopped, also while parts are down, without retries.
 *
 * @param pauseMs of each client after a response
 */
export function startLoad(plant: Plant, site: Site, pauseMs = PAUSE_MS): Load {
  let isRunning = true
  let registrations = 0
  const count = { succeeded: 0, failed: 0 }

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
      count[write.response ? 'succeeded' : 'failed'] += 1
      await sleep(write.response ? pauseMs : PAUSE_AFTER_FAILURE_MS)
    }
  }

  async function reach(kind: keyof typeof count, more: number): Promise<void> {
    const goal = count[kind] + more
    for (const until = Date.now() + AWAIT_MS; count[kind] < goal; await sleep(10)) {
      if (load.breaches.length > 0) throw new Error(load.breaches[0])
      if (Date.now() > until) throw new Error(`${goal - count[kind]} of ${more} writes have not ${kind}`)
    }
  }

  const load: Load = {
    writes: [],
    breaches: [],
    slowestMs: 0,
    shiftMs: 0,
    succeeded: (more) => reach('succeeded', more),
    failed: (more) => reach('failed', more),
    async stop() {
      isRunning = false
      await Promise.all(clients)
    },
  }
  const clients = Array.from({ length: CLIENTS }, client)
  return load
}

/** Sends a write once. A repeat has the same key and test clock. */
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

/** Repeats a write until it succeeds, as a client would; returns the response. */
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
    const isIncident = n === 0 && randomInt(4) === 0 && maySendIncident(reg)
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

/** Whether an incident of an agent surely sends a webhook, even if repeats bring several into one minute. */
function maySendIncident(reg: string): boolean {
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
