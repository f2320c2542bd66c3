/** The clock of the queue: that of the machine, or a virtual one that stands until a test moves it. */
export interface Clock {
  /** Time in ms since 1970. */
  now(): number
  isVirtual(): boolean
  /** Sets the virtual clock to `at`, or the real clock if null. */
  set(at: number | null): void
  /** Moves the virtual clock forward to `at`, never backward. */
  jumpTo(at: number): void
  /** The length of a wait of `ms` on this clock. */
  scaled(ms: number): number
  /** Converts a time of this clock to the machine's time. */
  toReal(at: number): number
}

/**
 * @param timeScale factor of every wait on the real clock; waits on the virtual clock are not scaled
 */
export function createClock(timeScale: number): Clock {
  let standing: number | null = null
  const now = () => standing ?? Date.now()

  return {
    now,
    isVirtual: () => standing !== null,
    set(at) {
      standing = at
    },
    jumpTo(at) {
      if (standing !== null && at > standing) standing = at
    },
    scaled: (ms) => (standing === null ? ms * timeScale : ms),
    toReal: (at) => at - now() + Date.now(),
  }
}
