import type { EventType } from '../../db/enums.ts'
import { eventId, uuidv7 } from '../../lib/ids.ts'

/** The head of an event that a statement may put into the outbox, with the id of its delivery. */
export interface EventHead {
  event_id: string
  delivery_id: string
  type: EventType
  created_at: string
}

/** A fresh event head; ids are UUIDv7 and sort by time. */
export function newEvent(type: EventType, now: Date): EventHead {
  return { event_id: eventId(now), delivery_id: uuidv7(now), type, created_at: now.toISOString() }
}
