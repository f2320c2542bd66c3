import { randomInt } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { ownStack } from '../support/harness.ts'
import { fuzz } from './run.ts'

const REQUESTS = 500 // each run has a new seed; npm run test:fuzz sends more
const SEEDS = 2 ** 31
const TIMEOUT_MS = 900_000 // a loaded machine responds slowly

const own = await ownStack()
afterAll(own.stop)

it(
  'responds to hostile requests as documented, and rejected ones change nothing',
  async () => {
    const seed = Number(process.env.FUZZ_SEED ?? randomInt(SEEDS))
    console.log(`npm run test:fuzz -- --seed ${seed} --requests ${REQUESTS}`)
    const { breaches, sent, statuses } = await fuzz(own, { seed, requests: REQUESTS })
    expect(breaches).toEqual([])
    expect(sent).toBeGreaterThanOrEqual(REQUESTS)
    // Most requests passed the rate limits and the check of credentials, and many succeeded.
    const succeeded = [200, 201, 202, 204, 207].reduce((sum, status) => sum + (statuses[status] ?? 0), 0)
    expect(succeeded).toBeGreaterThan(REQUESTS / 6)
    expect(statuses[429] ?? 0).toBeLessThan(REQUESTS / 10)
  },
  TIMEOUT_MS,
)
