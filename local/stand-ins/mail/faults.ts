import { z } from 'zod'
import { createSwitches, type Faults } from '../switches.ts'

/** What can be made to go wrong with the mails to an address; each is off, on, or on for the next n requests. */
const FAULTS = [
  /** The address is rejected: 422. */
  'reject',
  /** Another field is rejected: 422. */
  'rejectSubject',
  /** 500, and nothing is taken. */
  'down',
  /** 429, and nothing is taken. */
  'busy',
  /** Takes the mail, and responds so late that nobody waits any more. */
  'late',
  /** Takes the mail, and breaks the connection off. */
  'breakOff',
  /** 409, as while another request with the same idempotency key is under way. */
  'inProgress',
] as const

type Fault = (typeof FAULTS)[number]

export const faultsInput = z.partialRecord(z.enum(FAULTS), z.union([z.boolean(), z.int().min(0)]))

/** The faults of each address, all off at first. */
export function createFaults() {
  const known = new Map<string, Faults<Fault>>()
  return (address: string): Faults<Fault> => {
    const faults = known.get(address) ?? createSwitches(FAULTS)
    known.set(address, faults)
    return faults
  }
}
