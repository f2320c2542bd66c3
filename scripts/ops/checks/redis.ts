import { randomUUID } from 'node:crypto'
import { limiterOf } from '../../../src/http/ratelimit.ts'
import { checksOf, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 10_000
const CALLS = 3
const ONE_DATABASE = 'use one regional database without read replicas'

/** Checks Redis with the limiter of the Worker, which writes. */
export const redisChecks = checksOf('Redis', [
  {
    name: 'limiter',
    async run({ env }) {
      const limiter = limiterOf({ ...env, REDIS_TIMEOUT_MS: TIMEOUT_MS })
      const id = `doctor:${randomUUID()}`
      const count = async () => {
        const left: number[] = []
        for (let n = 0; n < CALLS; n++) {
          const { remaining } = await limiter.limit(id).catch((error: unknown) => {
            throw new Error(rejectionOf(error), { cause: error })
          })
          left.push(remaining)
        }
        return left
      }
      const isRight = ([first = 0, ...rest]: number[]) => rest.every((one, n) => one === first - n - 1)
      let left = await count()
      if (!isRight(left)) left = await count() // a new minute may have started between two calls
      return isRight(left)
        ? ok("the limiter's script runs and counts")
        : wrong(`the limiter's script counts ${left.join(', ')}`, ONE_DATABASE)
    },
  },
])

/** Cuts off the command, which the client's message repeats. */
function rejectionOf(error: unknown): string {
  const said = error instanceof Error ? error.message.split(', command was', 1)[0] : String(error)
  return `rejected: ${said}`
}
