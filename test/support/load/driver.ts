import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { recordedCalls } from '../../../local/stand-ins/serve.ts'
import type { Load, Timed } from './drive.ts'
import { middle } from './figures.ts'

/** One round; the requests to Redis are those per request. */
export type Measured = Omit<Timed, 'requests'> & { redis_requests: number }

interface Driver {
  /** Sends a load, and waits until it is over. */
  drive(load: Load): Promise<Measured>
  stop(): void
}

/** Starts the process that sends the requests. */
export function startDriver(): Driver {
  const driver = fork(join(import.meta.dirname, 'drive.ts'))
  return {
    async drive(load) {
      const began = performance.now()
      driver.send(load)
      const [response] = (await once(driver, 'message')) as [Timed | { error: string }]
      if ('error' in response) throw new Error(response.error)
      const { requests, ...timed } = response
      const counts = recordedCalls().filter((call) => call.service === 'redis' && call.began >= began)
      return { ...timed, redis_requests: counts.length / requests }
    },
    stop: () => void driver.kill(),
  }
}

/** The median of each value of some rounds. */
export function medians(rounds: readonly Measured[]): Measured {
  return {
    requests_per_second: middle(rounds.map((one) => one.requests_per_second)),
    p50_ms: middle(rounds.map((one) => one.p50_ms)),
    p99_ms: middle(rounds.map((one) => one.p99_ms)),
    redis_requests: middle(rounds.map((one) => one.redis_requests)),
  }
}
