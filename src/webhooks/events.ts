import { eventId, uuidv7 } from '../lib/ids.ts'

/** The nine webhook types of the interface, section 6.1. */
export const EVENT_TYPES = [
  'agent.registered',
  'agent.updated',
  'agent.deactivated',
  'agent.ownership_verified',
  'trust.updated',
  'trust.threshold_crossed',
  'incident.created',
  'incident.resolved',
  'operator.kyc_verified',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

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
