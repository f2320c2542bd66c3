import { InvalidArgumentError } from 'commander'
import type { Schemas } from '../../client/index.ts'

export type EventType = Schemas['Delivery']['type']

/** The types of events that platforms receive. */
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
] as const satisfies readonly EventType[]

/** Reads an event type. */
export function readType(word: string): EventType {
  const type = EVENT_TYPES.find((known) => known === word.trim())
  if (type) return type
  throw new InvalidArgumentError(`'${word}' is unknown: must be one of ${EVENT_TYPES.join(', ')}`)
}

/** Reads a comma-separated list of event types. */
export function readTypes(word: string): EventType[] {
  return word.split(',').map(readType)
}
