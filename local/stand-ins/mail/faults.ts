import { createSwitches, type Faults } from '../switches.ts'

/** Faults for mails to an address; each is off, on, or on for the next n requests. */
export const FAULTS = [
  /** The address is rejected: 422. */
  'reject',
  /** Another field is rejected: 422. */
  'rejectSubject',
  /** 500; the mail is not accepted. */
  'down',
  /** 429; the mail is not accepted. */
  'busy',
  /** Accepts the mail, but closes the connection without a response. */
  'breakOff',
  /** 409, as if another request with the same idempotency key were in progress. */
  'inProgress',
] as const

type Fault = (typeof FAULTS)[number]

/** The faults of each address, all off at first. */
export function createFaults() {
  const known = new Map<string, Faults<Fault>>()
  return (address: string): Faults<Fault> => {
    const faults = known.get(address) ?? createSwitches(FAULTS)
    known.set(address, faults)
    return faults
  }
}
