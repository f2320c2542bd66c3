/** What can be made to go wrong; each is off, on, or on for the next n times. */
export const FAULTS = [
  /** Each try reaches the destination twice, at the same moment; the first call's answer counts. */
  'deliverTwice',
  /** The destination is called, but its answer is lost: a failed try. */
  'dropAnswer',
  /** Publish and batch answer 503. */
  'refusePublish',
  /** A message is accepted and never delivered. */
  'loseMessage',
  'signWithNextKey',
  'wrongBodyHash',
] as const

export type Fault = (typeof FAULTS)[number]
export type Switches = Record<Fault, boolean | number>

export interface Faults {
  /** True when the fault is to happen now; counts one down. */
  take(fault: Fault): boolean
  set(switches: Partial<Switches>): Switches
  clear(): Switches
  list(): Switches
}

const OFF: Switches = {
  deliverTwice: false,
  dropAnswer: false,
  refusePublish: false,
  loseMessage: false,
  signWithNextKey: false,
  wrongBodyHash: false,
}

export function createFaults(): Faults {
  let switches = { ...OFF }
  return {
    take(fault) {
      const left = switches[fault]
      if (typeof left !== 'number') return left
      switches[fault] = left > 1 ? left - 1 : false
      return left > 0
    },
    set(changes) {
      switches = { ...switches, ...changes }
      return { ...switches }
    },
    clear() {
      switches = { ...OFF }
      return { ...switches }
    },
    list: () => ({ ...switches }),
  }
}
