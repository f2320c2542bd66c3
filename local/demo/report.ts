import { z } from 'zod'
import { type Call, call, showCall } from './call.ts'
import { say } from './print.ts'
import type { Happening } from './workload.ts'

const CALLS_PER_KEY = 50 // a key allows 60 per minute

const eventShape = z.object({
  id: z.string(),
  event_type: z.string(),
  source: z.string(),
  created_at: z.string(),
})

/** The keys to report with; a shell variable holds the first one. */
export interface Keys {
  variable: string
  texts: readonly string[]
}

/** Reports events one at a time, because their order in the log matters; prints the first call. */
export async function showWork(
  api: string,
  keys: Keys,
  reg: string,
  work: readonly Happening[],
): Promise<void> {
  const began = performance.now()
  for (const [index, event] of work.entries()) {
    const token = keys.texts[Math.floor(index / CALLS_PER_KEY)]
    if (!token) throw new Error(`${work.length} events are too many for ${keys.texts.length} keys`)
    const made = report(reg, event, { variable: keys.variable, token }, event.at)
    await (index === 0 ? showCall : call)(api, made)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  say(`→ 201 for all ${work.length}, in ${seconds} s: ${describe(work)}`)
}

/** Reports an incident at the current time. */
export async function showIncident(
  api: string,
  { variable, texts }: Keys,
  reg: string,
  incident: Happening,
): Promise<void> {
  say('', 'An event of type incident opens an incident, and the platform receives incident.created:', '')
  await showCall(api, report(reg, incident, { variable, token: texts[0] ?? '' }))
}

function report(
  reg: string,
  event: Happening,
  as: { variable: string; token: string },
  at?: Date,
): Call<z.infer<typeof eventShape>> {
  const { event_type, severity, metadata } = event
  return {
    method: 'POST',
    path: '/activity/report',
    as,
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
