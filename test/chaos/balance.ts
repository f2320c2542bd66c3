import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { eachOf } from '../support/load/clients.ts'
import { compare } from '../support/load/ledger.ts'
import { unlikeTheLog } from '../support/stack.ts'
import { type Load, send, settle, type Write } from './load.ts'
import type { Plant } from './plant.ts'
import type { Site } from './site.ts'

const AT_ONCE = 6
const REPLAYED = 30 // writes that are repeated again, of those that succeeded at once and of the others
const MINUTE_MS = 60_000
const WAITS_MINUTES = [2, 15, 30, 60, 120, 240, 1_440, 1_440] // until the sweep must have published everything
const IN_FLIGHT_MS = 40_000 // a receiver may take 30 s

/** The results of the writes of one case. */
export interface Balance {
  sent: number
  succeeded: number
  /** Failed writes that were stored. */
  done: number
  /** Writes that are stored after all failed ones were repeated. */
  found: number
  doubled: number
  lost: number
  expected: number
  arrived: number
  /** Stored events, and those in the transparency log. */
  events: number
  leaves: number
  breaches: string[]
}

/** The ids of the stored events or rows with a mark. */
type Found = Map<string, string[]>

/** Repeats failed writes, waits for all webhooks, and checks that everything is stored once. */
export async function balance(plant: Plant, site: Site, { writes, ledger }: Load): Promise<Balance> {
  const { breaches } = ledger
  const succeeded = writes.filter(({ response }) => response)
  const failed = writes.filter(({ response }) => !response)
  const before = await findMarks(plant)
  const done = failed.filter((write) => isStored(write, before))
  for (const { rejection } of done) {
    if (rejection && !rejection.includes('may have taken effect'))
      breaches.push(`stored, but rejected as if it were not: ${rejection}`)
  }

  await eachOf(failed, AT_ONCE, (write) => settle(plant, write, ledger))
  await eachOf([...failed.slice(-REPLAYED), ...succeeded.slice(-REPLAYED)], AT_ONCE, async (write) => {
    const again = await send(plant, write, ledger)
    const isReplay = again?.headers.has('idempotency-replayed')
    if (
      !isReplay ||
      !isDeepStrictEqual(JSON.parse(again?.text ?? '{}'), JSON.parse(write.response?.text ?? ''))
    )
      breaches.push(`a repeat of ${write.path} got a different response: ${again?.status} ${again?.text}`)
  })
  await drain(plant)
  await plant.cron(new Date((await plant.qstash.clock()).now))

  const after = await findMarks(plant)
  const found = writes.filter((write) => isStored(write, after))
  for (const write of found) breaches.push(...otherIds(write, after))
  breaches.push(...(await unlikeTheLog(plant)))
  breaches.push(...(await wrongCounters(plant, site, writes)), ...(await untold(plant, site)))
  return {
    sent: writes.length,
    succeeded: succeeded.length,
    done: done.length,
    found: found.length,
    doubled: writes.filter(({ marks }) => marks.some((mark) => (after.get(mark)?.length ?? 0) > 1)).length,
    lost: writes.filter(
      (write) => !isStored(write, after) || (succeeded.includes(write) && !isStored(write, before)),
    ).length,
    ...(await judgeWebhooks(plant, site, found, breaches)),
    ...(await countLog(plant, breaches)),
    breaches,
  }
}

/** The differences from a complete result; empty when nothing was lost or stored twice. */
export function shortfalls(balance: Balance): string[] {
  const { doubled, lost, expected, arrived, leaves, events, breaches } = balance
  const wrong = [...breaches]
  if (doubled > 0) wrong.push(`${doubled} writes are stored twice`)
  if (lost > 0) wrong.push(`${lost} writes are lost`)
  if (leaves !== events) wrong.push(`${leaves} of ${events} events are in the transparency log`)
  if (arrived !== expected || expected === 0) wrong.push(`${arrived} of ${expected} webhooks were delivered`)
  return wrong
}

/** Whether everything of a write is stored. */
const isStored = ({ marks }: Write, found: Found) => marks.every((mark) => found.has(mark))

async function findMarks(plant: Plant): Promise<Found> {
  const rows = await plant.sql(
    `select metadata->>'mark' as mark, id::text from activity_events
     union all select name, id::text from agents`,
  )
  const found: Found = new Map()
  for (const { mark, id } of rows) found.set(mark, [...(found.get(mark) ?? []), id])
  return found
}

/** Writes whose response had another id than is stored. */
function otherIds({ path, marks, response }: Write, found: Found): string[] {
  const body = JSON.parse(response?.text ?? '{}')
  if (!('data' in body || 'id' in body)) return []
  const ids: (string | undefined)[] = body.data?.map(
    ({ event }: { event?: { id: string } }) => event?.id,
  ) ?? [body.id]
  return marks.flatMap((mark, n) =>
    found.get(mark)?.includes(ids[n] ?? '') ? [] : [`${path} got ${ids[n]}, not ${found.get(mark)}`],
  )
}

/** Counters of the operator that differ from its rows, or from the writes. */
async function wrongCounters(plant: Plant, site: Site, writes: readonly Write[]): Promise<string[]> {
  const [held] = await plant.sql(
    `select active_agents, (select count(*)::integer from agents where operator_id = o.id) as agents,
       (select count(*)::integer from incidents i join agents a on a.id = i.agent_id where a.operator_id = o.id) as incidents
     from operators o where id = $1`,
    [site.operator.id],
  )
  const reported = (type: string) =>
    writes.flatMap((write) => write.reported).filter((event) => event.startsWith(type)).length
  const agents = site.agents.length + reported('agent.registered')
  const wanted = { active_agents: agents, agents, incidents: reported('incident.created') }
  return isDeepStrictEqual({ ...held }, wanted)
    ? []
    : [`${JSON.stringify(held)}, not ${JSON.stringify(wanted)}`]
}

/** Incidents without exactly one notification. */
async function untold(plant: Plant, { operator }: Site): Promise<string[]> {
  const rows = await plant.sql(
    `select i.id, (select count(*) from notifications n where n.incident_id = i.id) as told
     from incidents i join agents a on a.id = i.agent_id where a.operator_id = $1`,
    [operator.id],
  )
  return rows.flatMap(({ id, told }) => (told === '1' ? [] : [`incident ${id} has ${told} notifications`]))
}

/** Advances the queue and the jobs until no delivery is pending. */
async function drain({ qstash, cron, sql }: Plant): Promise<void> {
  const clock = async () => new Date((await qstash.clock()).now)
  const now = new Date(Math.max(Date.now(), (await clock()).getTime())).toISOString()
  await qstash.setClock({ mode: 'virtual', now })
  for (const until = Date.now() + IN_FLIGHT_MS; ; await sleep(50)) {
    if ((await qstash.messages()).every(({ inFlight }) => !inFlight)) break
    if (Date.now() > until) throw new Error('a delivery does not finish')
  }
  await qstash.runUntilIdle()
  for (const minutes of WAITS_MINUTES) {
    await qstash.advance(minutes * MINUTE_MS)
    await cron(await clock())
    await qstash.runUntilIdle()
    const [left] = await sql(`select count(*)::integer as n from webhook_deliveries where status = 'pending'`)
    if (left.n === 0) return
  }
}

/** The number of events and of leaves, all under a signed head. */
async function countLog(plant: Plant, breaches: string[]) {
  const [row] = await plant.sql(
    `select (select count(*)::integer from activity_events) as events,
       (select coalesce(sum(leaves), 0)::integer from tlog_ranges) as leaves,
       (select max(size)::integer from tlog_heads) as signed, (select size::integer from tlog_state) as size`,
  )
  const { events, leaves, signed, size } = row
  if (signed !== size) breaches.push(`the signed head has ${signed} of ${size} leaves`)
  return { events, leaves }
}

async function judgeWebhooks(
  { sql, receiver }: Plant,
  { platform, agents }: Site,
  writes: readonly Write[],
  breaches: string[],
) {
  const rows = await sql(
    `select e.id, e.type, coalesce(e.data->>'name', e.data->>'description') as mark, d.status, d.attempts::integer
     from webhook_deliveries d join webhook_events e on e.id = d.event_id join platforms p on p.id = d.platform_id
     where p.slug = $1`,
    [platform],
  )
  const posts = Map.groupBy(receiver.received, ({ event }) => event.id)
  for (const { id, type, status, attempts } of rows) {
    const posted = posts.get(id)?.length ?? 0
    if (status !== 'delivered') breaches.push(`${type} is ${status} after ${attempts} attempts`)
    if (posted > attempts) breaches.push(`${type} was posted ${posted} times in ${attempts} attempts`)
  }
  const events = rows.filter(({ type }) => /^(agent|incident)\./.test(type))
  const told = compare(
    writes.flatMap((write) => write.reported),
    events.map(({ type, mark }) => `${type} ${mark}`),
  )
  for (const mark of told.lost) breaches.push(`no webhook event ${mark}`)
  for (const mark of told.doubled) breaches.push(`several webhook events ${mark}`)
  if (told.unexpected.length > agents.length)
    breaches.push(`${told.unexpected.length - agents.length} webhook events of no write`)
  return { expected: rows.length + told.lost.length, arrived: rows.filter(({ id }) => posts.has(id)).length }
}
