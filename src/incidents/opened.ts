import { uuidv7 } from '../lib/ids.ts'
import { toShown } from '../lib/text.ts'
import type { LoggedEvent } from '../trust/rollup.ts'
import { type EventHead, newEvent } from '../webhooks/outbox/events.ts'
import { DESCRIPTION_MAX, NAME_MAX } from '../wire/fields.ts'

/** An incident that an event opens, and the webhook event about it. */
export interface OpenedIncident {
  id: string
  event: EventHead
}

/**
 * The incident that an event opens; null for events of other types.
 *
 * @param nth position of the event in the request
 */
export function incidentOf(
  { event_type }: Pick<LoggedEvent, 'event_type'>,
  now: Date,
  nth: number,
): OpenedIncident | null {
  if (event_type !== 'incident') return null
  return { id: uuidv7(now, nth), event: newEvent('incident.created', now, nth) }
}

/** The title and description of the incident that an event opens: from its metadata if they can be shown, else defaults. */
export function incidentTexts({ metadata, severity }: Pick<LoggedEvent, 'metadata' | 'severity'>) {
  return {
    title: toShown(metadata.title, NAME_MAX) ?? `Untitled, severity ${severity}`,
    description: toShown(metadata.description, DESCRIPTION_MAX, { lines: true }) ?? '',
  }
}
