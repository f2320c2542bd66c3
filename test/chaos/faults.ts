import { diskFull } from './cases/disk.ts'
import { connectionsReset, providersAway, stepsDelayed } from './cases/network.ts'
import {
  postgresKilled,
  qstashKilled,
  redisKilled,
  workerKilledInJobs,
  workerKilledInRequests,
} from './cases/processes.ts'
import { clockWrong, cronTwice } from './cases/time.ts'
import type { Fault } from './fault.ts'

/** Every fault, in the order of the table. */
export const FAULTS: readonly Fault[] = [
  postgresKilled,
  redisKilled,
  qstashKilled,
  workerKilledInRequests,
  workerKilledInJobs,
  providersAway,
  stepsDelayed,
  connectionsReset,
  diskFull,
  cronTwice,
  clockWrong,
]
