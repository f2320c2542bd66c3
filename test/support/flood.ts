import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { randomOf } from '../fuzz/random.ts'
import { forgedTokens } from './contract.ts'
import { type ApiResponse, freshIp, type Harness } from './harness.ts'
import { keyOf } from './settings.ts'

const AT_ONCE = 32
const OWN_KEY = keyOf(99) // of an attacker who knows how checksums are computed
const ROUTES = [
  ['GET', '/operators/me'],
  ['POST', '/operators/me/kyc/start'],
  ['POST', '/agents/REG-2026-0001-0042-U/ownership/verify'],
  ['POST', '/activity/report'],
  ['GET', '/verify/REG-2026-0001-0042-U/full'],
  ['GET', '/agents/REG-2026-0001-0042-U/activity'],
] as const

interface Flood {
  /** The number of responses by status. */
  statuses: Record<number, number>
  /** Statements sent to Postgres during the flood. */
  statements: number
  /** Requests to Redis during the flood. */
  counts: number
  ms: number
}

/**
 * Sends invalid credentials over many connections to routes of every kind.
 *
 * @param h a stack in this process that nothing else uses
 * @param good a valid session token and API key, which the invalid ones resemble
 * @param ip the IP address of all requests; default: a new one for each
 */
export async function flood(
  h: Harness,
  { count, seed, good, ip }: { count: number; seed: number; good: readonly string[]; ip?: string },
): Promise<Flood> {
  const [session = '', key = ''] = good
  const began = performance.now()
  const statuses: Record<number, number> = {}
  let next = 0
  const turn = async () => {
    for (let n = next++; n < count; n = next++) {
      const random = randomOf(seed, n)
      const [method, path] = random.pick(ROUTES)
      const token = random.pick(Object.values(forgedTokens(session, key, [OWN_KEY])))
      const { status }: ApiResponse = await h.api(method, path, {
        token,
        ip: ip ?? freshIp(),
      })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, turn))
  const calls = recordedCalls().filter((call) => call.began >= began)
  const of = (service: string) => calls.filter((call) => call.service === service).length
  return { statuses, statements: of('postgres'), counts: of('redis'), ms: performance.now() - began }
}
