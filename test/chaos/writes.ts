import { randomInt, randomUUID } from 'node:crypto'
import { eachOf } from '../support/load/clients.ts'
import { giveAllowances } from '../support/quotas.ts'
import type { NextWrite, Write } from './load.ts'
import type { Plant } from './plant.ts'
import type { Site } from './site.ts'

const REGISTRATIONS_MAX = 60 // a session may make 120 calls per minute, and each may be repeated
const BATCH = 10
const INCIDENT_PAUSE_MS = 6_000 // at most 20 per agent and minute are sent
const SESSIONS = 31 // each may create ten keys per minute; prime, so that each makes all kinds of changes

const KINDS = [
  { event_type: 'task_completed', metadata: { response_ms: 800, quality: 1 } },
  { event_type: 'task_failed', severity: 'error' },
  { event_type: 'heartbeat' },
  { event_type: 'startup' },
  { event_type: 'shutdown' },
]

const lastIncidents = new Map<string, number>()

/** Reports, some in batches, and a few registrations. */
export function reports(site: Site): NextWrite {
  let registrations = 0
  return () => {
    const draw = randomInt(24)
    if (draw < 2 && registrations < REGISTRATIONS_MAX) {
      registrations += 1
      return { ...registration(site), token: site.operator.token }
    }
    if (draw < 5) return report(site, BATCH)
    return report(site, 1)
  }
}

/**
 * Changes of an account: new keys, platforms, and agents; changes, deactivations, and incidents of these; resolutions.
 * Nothing is changed twice, so that the mark of each change stays.
 */
export async function accountWrites(plant: Plant, site: Site): Promise<NextWrite> {
  const { operator } = site
  await giveAllowances(plant, operator, ['new_keys'])
  const sessions = await eachOf(Array(SESSIONS).fill(operator), 1, plant.newOperator)
  const changed = new Set<unknown>()
  const earlierOf = (writes: readonly Write[], path: string) => {
    const found = writes.find((write) => write.path === path && write.response && !changed.has(write))
    changed.add(found)
    return found
  }
  const openIncident = async () => {
    const resolved = [...changed].filter((one) => typeof one === 'string')
    const open = `select id, description from incidents where status = 'open' and id <> all ($1)`
    const [found] = await plant.sql(open, [resolved]).catch(() => [])
    if (!found || changed.has(found.id)) return undefined // another client was faster
    changed.add(found.id)
    return found
  }
  const kinds: ((writes: readonly Write[]) => Write | undefined | Promise<Write | undefined>)[] = [
    newKey,
    newPlatform,
    () => registration(site),
    () => registration(site),
    () => registration(site),
    (writes) => renaming(earlierOf(writes, '/platforms')),
    (writes) => description(earlierOf(writes, '/agents')),
    (writes) => deactivation(earlierOf(writes, '/agents')),
    (writes) => incident(site, earlierOf(writes, '/agents')),
    async () => resolution(await openIncident()),
  ]
  let n = 0
  return async (writes) => {
    n += 1
    const write = (await kinds[n % kinds.length]?.(writes)) ?? registration(site)
    return { ...write, token: write.token || (sessions[n % SESSIONS]?.token ?? '') }
  }
}

const fresh = (mark: string) => ({
  method: 'POST' as 'POST' | 'PATCH',
  token: '',
  status: 201 as 200 | 201,
  key: randomUUID() as string | null,
  isChecked: false,
  marks: [mark],
  reported: [] as string[],
  now: null,
  response: null,
  rejection: null,
})

function report({ agents, key }: Site, size: number): Write {
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
  return { ...fresh(''), token: key, ...request, marks, reported }
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
  return { ...fresh(mark), path: '/agents', body, reported: [`agent.registered ${mark}`] }
}

function newKey(): Write {
  const mark = randomUUID()
  return { ...fresh(mark), path: '/operators/me/api-keys', key: null, isChecked: true, body: { name: mark } }
}

function newPlatform(): Write {
  const mark = `p-${randomUUID()}`
  return { ...fresh(mark), path: '/platforms', key: null, isChecked: true, body: { slug: mark, name: 'New' } }
}

/** A request that can be repeated without a key, because it then changes nothing. */
const change = (mark: string) => ({ ...fresh(mark), key: null, status: 200 as const })

function renaming(platform: Write | undefined): Write | undefined {
  const name = randomUUID()
  return (
    platform && { ...change(name), method: 'PATCH', path: `/platforms/${platform.marks}`, body: { name } }
  )
}

function description(agent: Write | undefined): Write | undefined {
  const mark = randomUUID()
  const reported = [`agent.updated ${agent?.marks}`]
  return (
    agent && { ...change(mark), method: 'PATCH', path: pathOf(agent), body: { description: mark }, reported }
  )
}

function deactivation(agent: Write | undefined): Write | undefined {
  const body = { status: 'deactivated' }
  const reported = [`agent.deactivated ${agent?.marks}`]
  return (
    agent && { ...change(`deactivated ${agent.marks}`), method: 'PATCH', path: pathOf(agent), body, reported }
  )
}

const pathOf = (agent: Write) => `/agents/${numberOf(agent)}`
const numberOf = ({ response }: Write): string => JSON.parse(response?.text ?? '{}').reg

function incident({ key }: Site, agent: Write | undefined): Write | undefined {
  const mark = randomUUID()
  const reported = [`incident.created ${mark}`]
  const metadata = { description: mark, mark }
  const body = { reg: agent && numberOf(agent), event_type: 'incident', severity: 'warning', metadata }
  return agent && { ...fresh(mark), token: key, path: '/activity/report', body, reported }
}

function resolution(opened: { id: string; description: string } | undefined): Write | undefined {
  const mark = randomUUID()
  const reported = [`incident.resolved ${opened?.description}`]
  return (
    opened && {
      ...change(mark),
      path: `/incidents/${opened.id}/resolve`,
      body: { resolution: mark },
      reported,
    }
  )
}
