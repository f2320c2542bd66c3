import { randomInt, randomUUID } from 'node:crypto'
import type { Write } from './load.ts'
import type { Site } from './site.ts'

const REGISTRATIONS_MAX = 60 // a session may make 120 calls per minute, and each may be repeated
const BATCH = 10
const INCIDENT_PAUSE_MS = 6_000 // at most 20 per agent and minute are sent

const KINDS = [
  { event_type: 'task_completed', metadata: { response_ms: 800, quality: 1 } },
  { event_type: 'task_failed', severity: 'error' },
  { event_type: 'heartbeat' },
  { event_type: 'startup' },
  { event_type: 'shutdown' },
]

/** Makes the next write: reports, some in batches, and a few registrations. */
export function writesOf(site: Site): () => Write {
  const lastIncidents = new Map<string, number>()
  /** Whether an incident of an agent surely sends a webhook, even if repeats bring several into one minute. */
  const maySendIncident = (reg: string) => {
    const isSoon = Date.now() - (lastIncidents.get(reg) ?? 0) < INCIDENT_PAUSE_MS
    if (!isSoon) lastIncidents.set(reg, Date.now())
    return !isSoon
  }
  let registrations = 0
  return () => {
    const draw = randomInt(24)
    if (draw < 2 && registrations < REGISTRATIONS_MAX) {
      registrations += 1
      return registration(site)
    }
    return report(site, draw < 5 ? BATCH : 1, maySendIncident)
  }
}

const fresh = () => ({ key: randomUUID(), now: null, response: null, rejection: null })

function report(
  { agents, key: token }: Site,
  size: number,
  maySendIncident: (reg: string) => boolean,
): Write {
  const marks = Array.from({ length: size }, () => randomUUID())
  const reported: string[] = []
  const events = marks.map((mark, n) => {
    const reg = agents[randomInt(agents.length)] ?? ''
    const isIncident = n === 0 && randomInt(4) === 0 && maySendIncident(reg)
    if (isIncident) reported.push(`incident.created ${mark}`)
    const kind = isIncident
      ? { event_type: 'incident', severity: 'warning', metadata: { description: mark } }
      : KINDS[randomInt(KINDS.length)]
    return { reg, ...kind, metadata: { ...kind?.metadata, mark } }
  })
  const [one = {}] = events
  const request =
    size === 1
      ? { path: '/activity/report', body: one }
      : { path: '/activity/report/batch', body: { events } }
  return { ...fresh(), token, ...request, marks, reported }
}

function registration({ platform, operator: { token } }: Site): Write {
  const mark = randomUUID()
  const body = { name: mark, class: 'A', platform_slug: platform }
  return { ...fresh(), token, path: '/agents', body, marks: [mark], reported: [`agent.registered ${mark}`] }
}
