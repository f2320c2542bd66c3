import type { EventType } from '../../db/enums.ts'
import { eventId } from '../../lib/ids.ts'

/** The envelope of an event, without its data. */
export interface EventHead {
  event_id: string
  type: EventType
  created_at: string
}

/** A new event head; ids sort by time, and those of one request by `nth`. */
export function newEvent(type: EventType, now: Date, nth?: number): EventHead {
  return { event_id: eventId(now, nth), type, created_at: now.toISOString() }
}
