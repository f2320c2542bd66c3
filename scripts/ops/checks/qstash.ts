import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Env } from '../../../src/env.ts'
import { DOCTOR_PATH, doctorKey } from '../../../src/health/doctor-routes.ts'
import { connectQStash } from '../../../src/services/qstash.ts'
import { connectRedis } from '../../../src/services/redis.ts'
import { messageOf } from '../../support/message.ts'
import { checksOf, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 10_000
const ROUND_TRIP_MS = 20_000
const POLL_MS = 250
/** The keys with which QStash signs messages. */
export const SIGNING_KEYS = ['QSTASH_CURRENT_SIGNING_KEY', 'QSTASH_NEXT_SIGNING_KEY'] as const

/** QStash, and its requests to the Worker. */
export const qstashChecks = checksOf('QStash', [
  {
    name: 'keys',
    async run({ env }) {
      const found = await askQStash(env)
      const off = SIGNING_KEYS.filter(
        (name) => env[name] !== found[name === SIGNING_KEYS[0] ? 'current' : 'next'],
      )
      return off.length > 0
        ? wrong(
            `${off.join(' and ')} ${off.length > 1 ? 'are not the signing keys' : 'is not the signing key'} of QStash`,
            'copy both signing keys from the Upstash console; they were rotated, or QSTASH_URL is of another region',
          )
        : ok('the token is accepted, and both signing keys are those of QStash')
    },
  },
  {
    name: 'round trip',
    ofWorker: true,
    async run({ env, patienceMs = ROUND_TRIP_MS }) {
      const id = randomUUID()
      const url = env.BASE_URL + DOCTOR_PATH
      await connectQStash(env).publishJSON({ url, body: { id }, retries: 0 })
      const redis = connectRedis(env, TIMEOUT_MS)
      const until = Date.now() + patienceMs
      while (Date.now() < until) {
        if (await redis.exists(doctorKey(id))) return ok('the Worker received a signed message')
        await pause(POLL_MS)
      }
      return wrong(
        `no message arrived at ${url} within ${patienceMs / 1000} s`,
        'check the logs of QStash in the Upstash console: 401 means a wrong signing key in the Worker, no entry a wrong QSTASH_URL',
      )
    },
  },
])

async function askQStash(env: Env): Promise<{ current: string; next: string }> {
  try {
    return await connectQStash(env).http.request({ path: ['v2', 'keys'], method: 'GET' })
  } catch (error) {
    throw new Error(`rejected: ${messageOf(error)}`, { cause: error })
  }
}
