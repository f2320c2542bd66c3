/** The clock of the queue: that of the machine, or a virtual one that a test moves. */
export interface Clock {
  /** Time in ms since 1970. */
  now(): number
  isVirtual(): boolean
  /**
   * Switches to the virtual clock, stopped at `at`.
   *
   * @param stands whether it stays stopped during deliveries
   */
  setVirtual(at: number, stands: boolean): void
  setReal(): void
  /** Moves the virtual clock forward to `at`, never backward. */
  jumpTo(at: number): void
  /** Lets the virtual clock advance in real time until the returned function is called. */
  run(): () => void
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
  let runners = 0
  let runningSince = 0
  let stopped = false

  const ran = () => (runners > 0 && !stopped ? performance.now() - runningSince : 0)
  const now = () => (standing === null ? Date.now() : Math.round(standing + ran()))
  const stand = (at: number) => {
    standing = at
    runningSince = performance.now()
  }

  return {
    now,
    isVirtual: () => standing !== null,
    setVirtual(at, stands) {
      stopped = stands
      stand(at)
    },
    setReal() {
      standing = null
    },
    jumpTo(at) {
      if (standing !== null && at > now()) stand(at)
    },
    run() {
      if (runners === 0) runningSince = performance.now()
      runners += 1
      return () => {
        if (standing !== null) stand(standing + ran())
        runners -= 1
      }
    },
    scaled: (ms) => (standing === null ? ms * timeScale : ms),
    toReal: (at) => at - now() + Date.now(),
  }
}
