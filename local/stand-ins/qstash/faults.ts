import { createSwitches } from '../switches.ts'

/** The faults, each off, on, or on for the next n times. */
export const FAULTS = [
  /** Each attempt is sent twice at the same time; the response to the first request counts. */
  'deliverTwice',
  /** The response of the destination is lost, so the attempt fails. */
  'dropResponse',
  /** Publish and batch respond with 503. */
  'rejectPublish',
  /** A message is accepted and never delivered. */
  'loseMessage',
  'signWithNextKey',
  'wrongBodyHash',
] as const

export type Faults = ReturnType<typeof createFaults>

export const createFaults = () => createSwitches(FAULTS)
