import { expect, it } from 'vitest'
import { runCase } from '../chaos/case.ts'
import { postgresKilled, workerKilledInRequests } from '../chaos/cases/processes.ts'

const LATE_MS = 280_000

it.each([postgresKilled, workerKilledInRequests])(
  'stores every write once, and delivers its webhooks: $name',
  async (fault) => {
    expect((await runCase(fault, AbortSignal.timeout(LATE_MS))).failure).toBeNull()
  },
)
