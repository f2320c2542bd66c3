import { createHash } from 'node:crypto'
import { requireData } from '../failure.ts'
import type { RegistryClient, Schemas } from '../registry.ts'
import type { Event, Problem } from './batches.ts'

/** Something in an event that was probably not meant; it is stored all the same. */
export interface Warning {
  line: number
  code: string
  message: string
}

/** What became of the events of a request. */
export interface Sent {
  stored: number
  /** Whether an earlier request with this key had stored them. */
  isReplayed: boolean
  problems: Problem[]
  warnings: Warning[]
  /** Events over a quota of this UTC day: to be sent again on the next. */
  held: Event[]
}

/**
 * The key of a request: whoever sends the same lines at the same place of the same input makes the same key.
 *
 * @param place what tells this request from others with the same events
 */
export function keyOf(place: readonly string[], events: readonly Event[]): string {
  const hash = createHash('sha256').update(JSON.stringify(['agentreg report', ...place]))
  for (const { text } of events) hash.update('\n').update(text)
  return `cli-${hash.digest('hex')}`
}

/**
 * Reports events. With a key that was used before, the registry returns what it returned then.
 *
 * @throws Rejection when the request as a whole is rejected, and whatever the client throws
 */
export async function sendEvents(
  client: RegistryClient,
  key: string,
  events: readonly Event[],
): Promise<Sent> {
  const result = await client.POST('/activity/report/batch', {
    params: { header: { 'Idempotency-Key': key } },
    body: { events: [] },
    // As they stand in the input: a number that was read and written again may be another.
    bodySerializer: () => `{"events":[${events.map(({ text }) => text).join(',')}]}`,
  })
  const { data } = requireData(result)
  const isReplayed = result.response.headers.get('idempotency-replayed') === 'true'
  const sent: Sent = { stored: 0, isReplayed, problems: [], warnings: [], held: [] }
  for (const one of data) add(sent, one, events[one.index])
  return sent
}

function add(sent: Sent, result: Schemas['BatchAnswer']['data'][number], event: Event | undefined): void {
  if (!event) return
  const { line, text } = event
  if ('error' in result) {
    const { code, message } = result.error
    if (code === 'RATE_LIMITED') sent.held.push(event)
    else sent.problems.push({ line, code, message, text })
    return
  }
  sent.stored += 1
  for (const { code, field, message } of result.warnings ?? [])
    sent.warnings.push({ line, code, message: `${field}: ${message}` })
}
