import type { EventType } from '../../db/enums.ts'
import { eventId } from '../../lib/ids.ts'

/** The head of an event that a statement may put into the outbox. */
export interface EventHead {
  event_id: string
  type: EventType
  created_at: string
}

/** A fresh event head; its id sorts by time. */
export function newEvent(type: EventType, now: Date): EventHead {
  return { event_id: eventId(now), type, created_at: now.toISOString() }
}
