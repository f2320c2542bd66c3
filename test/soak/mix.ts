import { randomInt } from 'node:crypto'
import { QUOTAS } from '../../src/db/tiers.ts'
import type { Plant } from '../chaos/plant.ts'
import { create, type Site } from '../chaos/site.ts'
import { type Answer, type Ask, ask } from '../support/load/ask.ts'
import { startClients } from '../support/load/clients.ts'
import { timed } from '../support/load/figures.ts'
import { findPaths } from './paths.ts'

const READERS = 3
const PAUSE_MS = 100
const PROFILE = '/console/account'
const WRITE_PAUSE_MS = 7_000 // the strict limit is ten calls per minute
const HIGHEST_LIMIT = QUOTAS.enterprise.key_requests_per_minute
const CONSOLE_PAUSE_MS = 800 // the limit of a session is 120 calls per minute
const BARE_PAUSE_MS = 200
const HIDDEN = /<input type="hidden" name="([^"]*)" value="([^"]*)">/g

/** What callers measured since the last sample. */
export interface Seen {
  latencies: number[]
  /** Latencies of the reference statement, which reads nothing and bypasses the Worker. */
  bare: number[]
  requests: number
  /** Number of 503 responses because a part exceeded a timeout, as on a busy machine. */
  late: number
}

export interface Mix {
  /** Returns the measurements and resets them. */
  take(): Seen
  /** Unexpected responses. */
  breaches: string[]
  stop(): Promise<void>
}

/** Reads all routes and pages, and makes changes as an operator, until it is stopped. */
export async function startMix(plant: Plant, site: Site): Promise<Mix> {
  const key = await makeReader(plant, site)
  const nothing = (): Seen => ({ latencies: [], bare: [], requests: 0, late: 0 })
  let seen = nothing()
  const breaches: string[] = []

  async function request(method: string, path: string, more: Ask = {}): Promise<Answer | null> {
    const answer = await ask(plant.baseUrl + path, { method, ...more })
    if (!answer) return null
    const { status, text, ms } = answer
    seen.requests += 1
    if (method === 'GET') seen.latencies.push(ms)
    const isLimit = status === 429 || (status === 503 && text.includes('counted'))
    if (status === 503 && !isLimit) seen.late += 1
    else if (status >= 400 && !isLimit) breaches.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
    return answer
  }

  async function read(): Promise<void> {
    const { path, token } = reads[randomInt(reads.length)] ?? { path: '/', token: undefined }
    await request('GET', path, { token })
  }

  async function operate(n: number): Promise<void> {
    const token = site.session
    await request('PATCH', '/api/v1/operators/me', { token, json: { company_name: `Soak ${n}` } })
    const json = { name: 'soak', permissions: ['read'] }
    const made = await request('POST', '/api/v1/operators/me/api-keys', { token, json })
    if (made?.status === 201)
      await request('DELETE', `/api/v1/operators/me/api-keys/${JSON.parse(made.text).id}`, { token })
    await request('POST', '/api/v1/operators/me/notifications/read-all', { token })
    for (const path of ofSession.slice(n % ofSession.length, (n % ofSession.length) + 3))
      await request('GET', path, { token })
  }

  /** Reads the pages of the console in turn, and submits the form of the profile. */
  async function visit(n: number): Promise<void> {
    const headers = { Cookie: cookie, Origin: plant.baseUrl }
    const path = console[n % console.length] ?? '/console'
    const page = (await request('GET', path, { headers }))?.text
    const shown = page?.split('<form ').find((one) => one.includes(`action="${PROFILE}"`))
    if (path !== PROFILE || !shown) return
    const hidden = shown.split('</form>', 1)[0]?.matchAll(HIDDEN) ?? []
    const fields = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
    await request('POST', PROFILE, { headers, form: { ...fields, name: `Person ${n}` } })
  }

  async function measureBare(): Promise<void> {
    const headers = { 'Neon-Connection-String': plant.databaseUrl() }
    const body = JSON.stringify({ query: 'select 1', params: [] })
    const ms = await timed(async () => {
      await (await fetch(plant.links.neon.url, { method: 'POST', headers, body })).text()
    })
    seen.bare.push(ms)
  }

  const reads: { path: string; token: string | undefined }[] = []
  const ofSession: string[] = []
  const { open, console, cookie } = await findPaths(plant, site)
  for (const path of open) {
    for (const token of [undefined, key, site.session]) {
      if ((await request('GET', path, { token }))?.status === 401) continue
      if (token === site.session) ofSession.push(path)
      else reads.push({ path, token })
      break
    }
  }
  breaches.splice(0) // errors of the requests that found out which credential each path needs
  seen = nothing()
  const clients = [
    startClients(READERS, read, { pauseMs: PAUSE_MS }),
    startClients(1, operate, { pauseMs: WRITE_PAUSE_MS }),
    startClients(1, visit, { pauseMs: CONSOLE_PAUSE_MS }),
    startClients(1, measureBare, { pauseMs: BARE_PAUSE_MS }),
  ]
  return {
    breaches,
    take() {
      const taken = seen
      seen = nothing()
      return taken
    },
    async stop() {
      await Promise.all(clients.map((one) => one.stop()))
    },
  }
}

/** Creates a key with a high rate limit, because the session is needed for paths that accept no key. */
async function makeReader(plant: Plant, { session }: Site): Promise<string> {
  const body = { name: 'reader', permissions: ['read'] }
  const { id, key } = await create(plant, session, '/operators/me/api-keys', body)
  await plant.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [id, HIGHEST_LIMIT])
  return key
}
