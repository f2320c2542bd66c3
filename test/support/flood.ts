import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { randomOf } from '../fuzz/random.ts'
import { forgedTokens } from './contract.ts'
import { freshIp, type Harness } from './harness.ts'
import { eachOf } from './load/clients.ts'
import { type Ledger, openLedger } from './load/ledger.ts'
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

interface Flood extends Pick<Ledger, 'statuses'> {
  /** Statements sent to Postgres during the flood. */
  statements: number
  /** Requests to Redis during the flood. */
  counts: number
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
  { count, good, ip }: { count: number; good: readonly string[]; ip?: string },
): Promise<Flood> {
  const [session = '', key = ''] = good
  const began = performance.now()
  const ledger = openLedger()
  await eachOf([...Array(count).keys()], AT_ONCE, (n) => {
    const random = randomOf(count, n)
    const [method, path] = random.pick(ROUTES)
    const token = random.pick(Object.values(forgedTokens(session, key, [OWN_KEY])))
    return ledger.record(h.api(method, path, { token, ip: ip ?? freshIp() }))
  })
  const calls = recordedCalls().filter((call) => call.began >= began)
  const of = (service: string) => calls.filter((call) => call.service === service).length
  return { statuses: ledger.statuses, statements: of('postgres'), counts: of('redis') }
}
