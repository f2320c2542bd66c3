import { InvalidArgumentError } from 'commander'
import { EVENT_TYPES, type EventType } from '../../../src/db/enums.ts'

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
