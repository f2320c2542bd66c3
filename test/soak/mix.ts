import { randomInt } from 'node:crypto'
import type { Plant } from '../chaos/plant.ts'
import { type Site, withRetries } from '../chaos/site.ts'
import { openConsole } from '../support/console.ts'
import { API } from '../support/document.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Answer, type Ask, ask } from '../support/load/ask.ts'
import { startClients } from '../support/load/clients.ts'
import { timed } from '../support/load/figures.ts'
import { type Ledger, openLedger } from '../support/load/ledger.ts'
import { findPaths } from './paths.ts'

const READERS = 3
const PAUSE_MS = 100
const PROFILE = '/console/account'
const WRITE_PAUSE_MS = 7_000 // the strict limit is ten calls per minute
const CONSOLE_PAUSE_MS = 800 // the limit of a session is 120 calls per minute
const BARE_PAUSE_MS = 200

/** The requests since the last sample. */
export interface Seen extends Ledger {
  /** Latencies of the reference statement, which reads nothing and bypasses the Worker. */
  bare: number[]
}

interface Mix {
  /** Returns the account of the requests, and begins another. */
  take(): Seen
  stop(): Promise<void>
}

/** Reads all routes and pages, and makes changes as an operator, until it is stopped. */
export async function startMix(plant: Plant, site: Site): Promise<Mix> {
  const { token } = site.operator
  const key = await withRetries(() => tirelessKey(plant, site.operator, ['read'])) // not all paths accept a session
  const begin = (): Seen => Object.assign(openLedger(), { bare: [] })
  let seen = begin()

  async function note(what: string, sent: Promise<Pick<Answer, 'status' | 'text'> | null>) {
    const answer = await seen.record(sent.then(withoutLimit, () => null))
    if (answer && answer.status >= 400 && ![429, 503].includes(answer.status))
      seen.breaches.push(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return answer
  }
  const request = (method: string, path: string, more: Ask = {}) =>
    note(`${method} ${path}`, ask(plant.base_url + path, { method, ...more }))

  async function read(): Promise<void> {
    const [path = '/', credential] = reads[randomInt(reads.length)] ?? []
    await request('GET', path, { token: credential })
  }

  async function operate(n: number): Promise<void> {
    const me = `${API}/operators/me`
    await request('PATCH', me, { token, json: { company_name: `Soak ${n}` } })
    const json = { name: 'soak', permissions: ['read'] }
    const made = await request('POST', `${me}/api-keys`, { token, json })
    if (made?.status === 201) await request('DELETE', `${me}/api-keys/${JSON.parse(made.text).id}`, { token })
    await request('POST', `${me}/notifications/read-all`, { token })
    for (let more = 0; more < 3; more++)
      await request('GET', session[(n + more) % session.length] ?? '/', { token })
  }

  /** Reads the pages of the console in turn, and submits the form of the profile. */
  async function visit(n: number): Promise<void> {
    const path = console[n % console.length] ?? '/console'
    const sent = path === PROFILE ? visitor.send(path, path, { name: `Person ${n}` }) : visitor.get(path)
    await note(path, sent)
  }

  async function measureBare(): Promise<void> {
    const headers = { 'Neon-Connection-String': plant.database_url }
    const body = JSON.stringify({ query: 'select 1', params: [] })
    const ms = await timed(async () => {
      await (await fetch(plant.links.neon.url, { method: 'POST', headers, body })).text()
    })
    seen.bare.push(ms)
  }

  const { open, key: ofKey, session, console } = await withRetries(() => findPaths(plant, site))
  const visitor = await openConsole(plant, site.operator.email)
  const reads = [...open.map((path) => [path]), ...ofKey.map((path) => [path, key])]
  const clients = [
    startClients(READERS, read, { pauseMs: PAUSE_MS }),
    startClients(1, operate, { pauseMs: WRITE_PAUSE_MS }),
    startClients(1, visit, { pauseMs: CONSOLE_PAUSE_MS }),
    startClients(1, measureBare, { pauseMs: BARE_PAUSE_MS }),
  ]
  return {
    take() {
      const taken = seen
      seen = begin()
      return taken
    },
    async stop() {
      await Promise.all(clients.map((one) => one.stop()))
    },
  }
}

/** A request that cannot be counted is rejected as if it were above the limit. */
function withoutLimit<A extends Pick<Answer, 'status' | 'text'> | null>(answer: A): A {
  return answer?.status === 503 && answer.text.includes('counted') ? { ...answer, status: 429 } : answer
}
