import { createSwitches } from '../switches.ts'

/** The faults, each off, on, or on for the next n requests. */
export const FAULTS = [
  /** Accepts the request, but never responds. */
  'silent',
  /** Cosigns, but after the client's timeout. */
  'slow',
  /** 409 with a larger size than the log ever signed. */
  'lyingSize',
  /** 409 with the size that it knows, whatever was requested. */
  'conflict',
  'unprocessable',
  'forbidden',
  /** Cosigns with a signature that does not verify. */
  'badSignature',
  /** Cosigns a smaller head than the requested one. */
  'otherHead',
] as const

export type Faults = ReturnType<typeof createFaults>

export const createFaults = () => createSwitches(FAULTS)
