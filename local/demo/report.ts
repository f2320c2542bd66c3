import { z } from 'zod'
import { type Call, call } from '../../scripts/support/call.ts'
import { say } from '../../scripts/support/print.ts'
import { showCall } from './call.ts'
import { step } from './print.ts'
import type { Logged } from './recompute.ts'
import { duplicateIncident, type Happening, invoiceWork } from './workload.ts'

const CALLS_PER_KEY = 50 // of the 60 that a key has in a minute

const eventShape = z.object({ id: z.string(), event_type: z.string(), created_at: z.string() })

/**
 * Reports three weeks of work one by one, as order counts in the log, and an incident of this moment.
 *
 * @returns the agent's whole log, with the times that the service has given
 */
export async function showReports(
  api: string,
  keys: readonly string[],
  reg: string,
  now: Date,
): Promise<Logged[]> {
  const work = invoiceWork(now)
  step(
    'Report three weeks of work, and an incident of today',
    `${work.length} calls up to yesterday, each with the time at which it happened; the first:`,
  )
  const began = performance.now()
  const log: Logged[] = []
  for (const [index, event] of work.entries()) {
    const key = keys[Math.floor(index / CALLS_PER_KEY)]
    if (!key) throw new Error(`${work.length} events are too many for ${keys.length} keys`)
    const { created_at } = await (index === 0 ? showCall : call)(api, report(reg, event, key, event.at))
    log.push({ ...event, created_at })
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  say(`→ 201 for all ${work.length}, in ${seconds} s: ${describe(work)}`)

  say('', 'The incident opens a record, and the platform receives incident.created:', '')
  const incident = duplicateIncident(new Date())
  const { created_at } = await showCall(api, report(reg, incident, keys[0] ?? ''))
  return [...log, { ...incident, created_at }]
}

function report(reg: string, event: Happening, token: string, at?: Date): Call<z.infer<typeof eventShape>> {
  const { event_type, severity, metadata } = event
  return {
    method: 'POST',
    path: '/activity/report',
    as: { variable: 'KEY', token },
    ...(at && { at }),
    body: { reg, event_type, severity, metadata },
    status: 201,
    shape: eventShape,
  }
}

function describe(work: readonly Happening[]): string {
  const types = Map.groupBy(work, ({ event_type }) => event_type)
  return [...types].map(([type, events]) => `${events.length} ${type}`).join(', ')
}
