import { randomInt } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { ownStack } from '../support/harness.ts'
import { fuzz } from './run.ts'

const { FUZZ_SEED, FUZZ_REQUESTS, FUZZ_ONLY } = process.env
const SEED = Number(FUZZ_SEED ?? randomInt(2 ** 31)) // a new one for each run
const REQUESTS = Number(FUZZ_REQUESTS ?? 500)
const TIMEOUT_MS = 900_000 + 100 * REQUESTS // a loaded machine responds slowly

const own = await ownStack()
afterAll(own.stop)

it(
  'responds to hostile requests as documented, and rejected ones change nothing',
  async () => {
    console.log(`FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}`)
    const only = FUZZ_ONLY ? Number(FUZZ_ONLY) : undefined
    const { breaches, sent, statuses, slowest_ms } = await fuzz(own, { seed: SEED, requests: REQUESTS, only })
    console.log({ sent, statuses, slowest_ms })
    expect(breaches).toEqual([])
    if (FUZZ_ONLY) return
    expect(sent).toBeGreaterThanOrEqual(REQUESTS)
    // Most requests passed the rate limits and the check of credentials, and many succeeded.
    const succeeded = [200, 201, 202, 204, 207].reduce((sum, status) => sum + (statuses[status] ?? 0), 0)
    expect(succeeded).toBeGreaterThan(REQUESTS / 6)
    expect(statuses[429] ?? 0).toBeLessThan(REQUESTS / 10)
  },
  TIMEOUT_MS,
)
