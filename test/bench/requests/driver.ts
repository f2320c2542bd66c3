import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { recordedCalls } from '../../../local/stand-ins/serve.ts'
import { processorTimes } from './cpu.ts'
import type { Load, Timed } from './load.ts'
import type { Measured } from './report.ts'

export interface Driver {
  /** Sends a load, and waits until it is over. */
  drive(load: Load): Promise<Measured>
  stop(): void
}

/** Starts the process that sends the requests. */
export function startDriver(): Driver {
  const driver = fork(join(import.meta.dirname, 'load.ts'))
  return {
    async drive(load) {
      const before = processorTimes()
      const began = performance.now()
      driver.send(load)
      const [response] = (await once(driver, 'message')) as [Timed | { error: string }]
      if ('error' in response) throw new Error(response.error)
      const { requests, ...timed } = response
      const spent = Object.entries(processorTimes()).map(
        ([program, ms]) => [program, (ms - (before[program] ?? 0)) / requests] as const,
      )
      const counts = recordedCalls().filter((call) => call.service === 'redis' && call.began >= began)
      return {
        ...timed,
        redis_requests: counts.length / requests,
        cpu_ms: Object.fromEntries(spent.filter(([, ms]) => ms > 0)),
      }
    },
    stop: () => void driver.kill(),
  }
}
