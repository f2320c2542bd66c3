import { createSwitches, type Faults } from '../switches.ts'

/** An error of the provider: status, name, and message. */
export type Rejection = [status: 400 | 403 | 409 | 422 | 429 | 500, name: string, message: string]

/** Faults with which a mail is not accepted; each is off, on, or on for the next n requests. */
export const REJECTIONS = [
  ['reject', [422, 'validation_error', 'Invalid `to` field. The address needs to be `email@example.com`.']],
  ['rejectSubject', [422, 'validation_error', 'The `subject` field is invalid.']],
  ['down', [500, 'internal_server_error', 'An unexpected error occurred.']],
  ['busy', [429, 'rate_limit_exceeded', 'Too many requests.']],
] as const satisfies [name: string, Rejection][]

/** The last one accepts the mail, but closes the connection without a response. */
export const FAULTS = [...REJECTIONS.map(([name]) => name), 'breakOff'] as const

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
