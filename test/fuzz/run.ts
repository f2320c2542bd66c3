import { API, type ApiDocument } from '../support/document.ts'
import type { Harness } from '../support/harness.ts'
import { eachOf } from '../support/load/clients.ts'
import { type Ledger, openLedger } from '../support/load/ledger.ts'
import type { Fuzzed } from './fuzzed.ts'
import { pageFault } from './pages.ts'
import { publishedFault } from './published.ts'
import { addressOf, requestOf, UNRESOLVED } from './requests.ts'
import { closeConnections, type Reply, send } from './send.ts'
import { changedTables, settledTables, type Tables, tablesOf } from './tables.ts'
import { flushLimits, makeWorld } from './world.ts'

const GROUP = 200
const AT_ONCE = 8 // writes of one operator wait for its row, each at most 3 s: also on a busy machine
const HANG_MS = 30_000
const RENEW_EVERY = 10 // groups
const FINDINGS_MAX = 25

interface Exchange {
  fuzzed: Fuzzed
  reply: Reply | null
}

/**
 * Sends the requests of a seed. Reports 5xx responses, late responses, responses that violate the document, and changes
 * of the database by requests that were rejected or only read.
 *
 * @param h a stack that nothing else writes to
 * @param run `only`: the number of the only request that is sent
 * @returns the account, also of rejected requests that were sent again
 */
export async function fuzz(
  h: Harness,
  { seed, requests, only }: { seed: number; requests: number; only: number | undefined },
): Promise<Ledger> {
  const document = await h.openApi()
  await h.qstash.setClock({ mode: 'virtual' }) // no deliveries during the run
  const world = await makeWorld(h, document)
  const ledger = openLedger()
  let groups = 0
  const find = (line: string) => {
    ledger.breaches.push(line)
    console.log(line)
  }
  const report = (fuzzed: Fuzzed, what: string) => {
    find(`FUZZ_SEED=${seed} FUZZ_ONLY=${fuzzed.n}: ${what}\n  ${describe(fuzzed)}`)
  }

  async function exchange(fuzzed: Fuzzed): Promise<Exchange> {
    const call = { ...fuzzed, headers: [...fuzzed.headers, ...addressOf(fuzzed)] }
    const reply = await ledger.record(
      send(h.base_url, call, HANG_MS).catch((error: Error) => {
        report(fuzzed, `no response: ${error.message}`)
        return null
      }),
    )
    if (!reply) return { fuzzed, reply }
    const wrong = faultOf(document, fuzzed, reply, h.base_url)
    if (wrong) report(fuzzed, `${wrong}: ${reply.status} ${reply.text.slice(0, 300)}`)
    return { fuzzed, reply }
  }

  /** Sends requests that must not change anything. */
  async function sendInert(group: readonly Fuzzed[], why: string): Promise<void> {
    await flushLimits(h)
    const before = await settledTables(h)
    await eachOf(group, AT_ONCE, exchange)
    const changed = changedTables(before, await tablesOf(h))
    if (changed.length === 0) return
    const culprits = await culpritsOf(h, group, exchange)
    for (const { fuzzed, tables } of culprits) report(fuzzed, `${why} changed ${tables.join(', ')}`)
    const numbers = `${group[0]?.n} to ${group.at(-1)?.n}`
    if (culprits.length === 0)
      find(`FUZZ_SEED=${seed}: one of the requests ${numbers}, ${why}, changed ${changed.join(', ')}`)
  }

  /** Sends requests that may succeed. Those that were rejected are sent again, and must change nothing. */
  async function sendOthers(group: readonly Fuzzed[]): Promise<void> {
    const exchanges = await eachOf(group, AT_ONCE, exchange)
    const rejected = exchanges.flatMap(({ fuzzed, reply }) => (isRejection(reply) ? [fuzzed] : []))
    await flushLimits(h)
    const still = (await eachOf(rejected, AT_ONCE, exchange)).flatMap(({ fuzzed, reply }) =>
      isRejection(reply) ? [fuzzed] : [],
    )
    await sendInert(still, 'a rejected request')
  }

  const waiting: Record<'inert' | 'other', Fuzzed[]> = { inert: [], other: [] }
  const flush = async (kind: 'inert' | 'other', least: number) => {
    while (waiting[kind].length >= least && ledger.breaches.length < FINDINGS_MAX) {
      const group = waiting[kind].splice(0, GROUP)
      await world.revive()
      if (kind === 'inert') await sendInert(group, 'a read or rejected request')
      else await sendOthers(group)
      if (++groups % RENEW_EVERY === 0) {
        await world.renew()
        console.log(
          `${ledger.sent} sent, ${ledger.breaches.length} findings, slowest ${ledger.slowest_ms} ms`,
        )
      }
    }
  }
  const numbers = only === undefined ? Array.from({ length: requests }, (_, n) => n) : [only]
  for (const n of numbers) {
    const fuzzed = requestOf(document, world, seed, n)
    if (only !== undefined) console.log(describe(fuzzed, 4_000))
    waiting[fuzzed.inert ? 'inert' : 'other'].push(fuzzed)
    await flush('inert', GROUP)
    await flush('other', GROUP)
    if (ledger.breaches.length >= FINDINGS_MAX) break
  }
  await flush('inert', 1)
  await flush('other', 1)
  closeConnections()
  return ledger
}

const isOfWorker = ({ headers }: Reply) => headers['x-request-id'] !== undefined
const isRejection = (reply: Reply | null) => reply !== null && isOfWorker(reply) && reply.status >= 400

/** The fault of a response; null when there is none. */
function faultOf(document: ApiDocument, fuzzed: Fuzzed, reply: Reply, baseUrl: string): string | null {
  const { method, path, rejected } = fuzzed
  const { status, type, text } = reply
  if (status >= 500) return 'a server error'
  if (rejected && status < 400 && method !== 'OPTIONS') return 'accepted, but must be rejected'
  if (reply.headers['x-injected'] !== undefined) return 'a header injected by the request in the response'
  if (!isOfWorker(reply)) return null // rejected by the server in front of the Worker
  const { pathname } = new URL(path, baseUrl)
  if (UNRESOLVED.test(path.split('?')[0] ?? '')) return null
  const isClockRejected =
    text.includes('"X-Test-Now: ') ||
    (method === 'HEAD' && fuzzed.headers.some(([name]) => name === 'X-Test-Now'))
  if (isClockRejected) return null
  if (fuzzed.caller === 'page') return pageFault(fuzzed, reply)
  const published = fuzzed.caller === 'published' ? publishedFault(fuzzed, reply) : null
  if (published || !pathname.startsWith(`${API}/`)) return published
  if (reply.headers['x-ratelimit-limit'] === undefined) return 'no rate-limit headers'
  if (method === 'OPTIONS' && status === 204) return null
  if (method === 'HEAD') return text === '' ? null : 'a body in the response to HEAD'
  if (status === 304) return text === '' ? null : 'a body in a 304'
  const route = pathname.slice(API.length)
  if (route === '/openapi.json') return null
  // Sign-in pages are HTML for browsers, which the document does not describe.
  if (type.startsWith('text/html') && route.startsWith('/auth/')) return null
  try {
    return document.breach(method, route, status, type, text)
  } catch (error) {
    return `a response that cannot be read (${error instanceof Error ? error.message : error})`
  }
}

/** Sends the requests of a group one by one; returns those after which the database has changed. */
async function culpritsOf(
  h: Harness,
  group: readonly Fuzzed[],
  exchange: (fuzzed: Fuzzed) => Promise<unknown>,
) {
  const culprits: { fuzzed: Fuzzed; tables: string[] }[] = []
  await flushLimits(h)
  let before: Tables = await settledTables(h)
  for (const fuzzed of group) {
    await exchange(fuzzed)
    const after = await tablesOf(h)
    const tables = changedTables(before, after)
    if (tables.length > 0) culprits.push({ fuzzed, tables })
    before = after
  }
  return culprits
}

/** A request in one line, without its credential. */
function describe({ caller, method, path, headers, body }: Fuzzed, most = 300): string {
  const shown = headers
    .filter(([name]) => name !== 'Authorization')
    .map(([name, value]) => `${name}: ${value.slice(0, 80)}`)
  const sent = body ? ` ${body.length} bytes ${JSON.stringify(body.subarray(0, most).toString())}` : ''
  return `${caller}: ${method} ${path.slice(0, most)} ${JSON.stringify(shown)}${sent}`
}
