import { createHash } from 'node:crypto'
import { type RegistryClient, type Schemas, storedNothing, unwrap } from '../../../client/index.ts'
import type { Event, Problem } from './batches.ts'

/** A probable mistake in an event that is stored nevertheless. */
export interface Warning {
  line: number
  code: string
  message: string
}

/** The results of a request. */
export interface Sent {
  stored: number
  /** Whether an earlier request with this key had stored them. */
  isReplayed: boolean
  problems: Problem[]
  warnings: Warning[]
  /** Events that exceed a daily quota, to be sent again on the next UTC day. */
  held: Event[]
  /** The receipt of the stored events, if the client asks for it. */
  receipt?: string | undefined
}

/**
 * The idempotency key of a request: the same for the same lines at the same position of the same input.
 *
 * @param place distinguishes this request from others with the same events
 */
export function keyOf(place: readonly string[], events: readonly Event[]): string {
  const hash = createHash('sha256').update(JSON.stringify(['agentreg report', ...place]))
  for (const { text } of events) hash.update('\n').update(text)
  return `cli-${hash.digest('hex')}`
}

/**
 * Reports events. If the key was used before, the registry returns the earlier response.
 *
 * @throws RegistryError when the whole request is rejected; also errors of the client
 */
export async function sendEvents(
  client: RegistryClient,
  key: string,
  events: readonly Event[],
): Promise<Sent> {
  const call = client.POST('/activity/report/batch', {
    params: { header: { 'Idempotency-Key': key } },
    body: { events: [] },
    // Unchanged from the input, as parsing and serializing a number may change it.
    bodySerializer: () => `{"events":[${events.map(({ text }) => text).join(',')}]}`,
  })
  const { error, response } = await call
  const { data, receipt } = storedNothing(error) ? error : await unwrap(call)
  const isReplayed = response.headers.get('idempotency-replayed') === 'true'
  const sent: Sent = { stored: 0, isReplayed, problems: [], warnings: [], held: [], receipt }
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
