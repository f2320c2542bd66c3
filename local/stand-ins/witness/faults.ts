import { z } from 'zod'
import { createSwitches } from '../switches.ts'

/** What can be made to go wrong; each is off, on, or on for the next n requests. */
const FAULTS = [
  /** Takes the request, and never responds. */
  'silent',
  /** Cosigns, but so late that nobody waits any more. */
  'slow',
  /** 409 with a size that is larger than any the log has signed. */
  'lyingSize',
  /** 409 with the size that it knows, whatever was asked. */
  'conflict',
  'unprocessable',
  'forbidden',
  /** Cosigns with a signature that does not verify. */
  'badSignature',
  /** Cosigns a smaller head than the one that it was shown. */
  'otherHead',
] as const

export const faultsInput = z.partialRecord(z.enum(FAULTS), z.union([z.boolean(), z.int().min(0)]))

export type Faults = ReturnType<typeof createFaults>

export const createFaults = () => createSwitches(FAULTS)
