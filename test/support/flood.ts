import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { type Random, randomOf } from '../fuzz/random.ts'
import { withCheck } from './credentials.ts'
import { type ApiResponse, freshIp, type Harness } from './harness.ts'
import { keyOf } from './settings.ts'

const AT_ONCE = 32
const OWN_KEY = keyOf(99) // of an attacker who knows how checksums are computed
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
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
 * @param good a valid session token and API key, of which a character or two are changed
 * @param ip the IP address of all requests; default: a new one for each
 */
export async function flood(
  h: Harness,
  { count, seed, good, ip }: { count: number; seed: number; good: readonly string[]; ip?: string },
): Promise<Flood> {
  const began = performance.now()
  const statuses: Record<number, number> = {}
  let next = 0
  const turn = async () => {
    for (let n = next++; n < count; n = next++) {
      const random = randomOf(seed, n)
      const [method, path] = random.pick(ROUTES)
      const { status }: ApiResponse = await h.api(method, path, {
        token: madeUp(random, good),
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

/** An invalid credential: random, with a forged checksum, or a slightly changed valid one. */
function madeUp(random: Random, good: readonly string[]): string {
  const text = (length: number) => Array.from({ length }, () => random.pick([...ALPHABET])).join('')
  const known = random.pick(good)
  const at = random.below(known.length - 1)
  switch (random.below(6)) {
    case 0:
      return `reg_sess_${text(59)}`
    case 1:
      return `reg_live_${text(48)}`
    case 2:
      return withCheck(random.chance(0.5) ? `reg_sess_${text(51)}` : `reg_live_${text(40)}`, [OWN_KEY])
    case 3:
      return withCheck(known.slice(0, -8), [OWN_KEY])
    case 4:
      return `${known.slice(0, at)}-${known.slice(at + 1)}`
    default:
      return known.slice(0, 17) + text(known.length - 17)
  }
}
