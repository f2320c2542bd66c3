import { createSwitches, type Switches } from '../switches.ts'

/** What can be made to go wrong; each is off, on, or on for the next n times. */
export const FAULTS = [
  /** Each try reaches the destination twice, at the same moment; the first call's response counts. */
  'deliverTwice',
  /** The destination is called, but its response is lost: a failed try. */
  'dropResponse',
  /** Publish and batch respond with 503. */
  'rejectPublish',
  /** A message is accepted and never delivered. */
  'loseMessage',
  'signWithNextKey',
  'wrongBodyHash',
] as const

export type Fault = (typeof FAULTS)[number]
export type FaultSwitches = Switches<Fault>
export type Faults = ReturnType<typeof createFaults>

export const createFaults = () => createSwitches(FAULTS)
