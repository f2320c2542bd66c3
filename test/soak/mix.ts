import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTAS } from '../../src/db/tiers.ts'
import type { Plant } from '../chaos/plant.ts'
import { call, type Site } from '../chaos/site.ts'
import { findPaths } from './paths.ts'

const READERS = 3
const PAUSE_MS = 100
const PROFILE = '/console/account'
const WRITE_PAUSE_MS = 7_000 // the strict limit is ten calls per minute
const CALL_MS = 15_000
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

/** Authentication of a caller: a credential of the API, or the console cookie. */
interface Auth {
  token?: string | undefined
  cookie?: string | undefined
}

interface Ask extends Auth {
  json?: object
  form?: Record<string, string>
}

/** Reads all routes and pages, and makes changes as an operator, until it is stopped. */
export async function startMix(plant: Plant, site: Site): Promise<Mix> {
  const key = await makeReader(plant, site)
  let isRunning = true
  let seen: Seen = { latencies: [], bare: [], requests: 0, late: 0 }
  const breaches: string[] = []

  async function ask(method: string, path: string, { token, cookie, json, form }: Ask = {}) {
    const began = performance.now()
    const response = await fetch(plant.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(cookie && { Cookie: cookie, Origin: plant.baseUrl }),
        'CF-Connecting-IP': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`,
        ...(json && { 'Content-Type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
      ...(form && { body: new URLSearchParams(form) }),
      signal: AbortSignal.timeout(CALL_MS),
    }).catch(() => null) // the Worker is restarting
    const text = await response?.text().catch(() => null)
    if (!response || text === null) return null
    seen.requests += 1
    if (method === 'GET') seen.latencies.push(performance.now() - began)
    const isLimit = response.status === 429 || (response.status === 503 && text?.includes('counted'))
    if (response.status === 503 && !isLimit) seen.late += 1
    else if (response.status >= 400 && !isLimit) {
      breaches.push(`${method} ${path}: ${response.status} ${text?.slice(0, 300)}`)
    }
    return new Response(text, response)
  }

  async function reader(): Promise<void> {
    while (isRunning) {
      const { path, as } = reads[randomInt(reads.length)] ?? { path: '/', as: {} }
      await ask('GET', path, as)
      await sleep(PAUSE_MS)
    }
  }

  async function operator(): Promise<void> {
    for (let n = 0; isRunning; n++) {
      const as = { token: site.session }
      await ask('PATCH', '/api/v1/operators/me', { ...as, json: { company_name: `Soak ${n}` } })
      const json = { name: 'soak', permissions: ['read'] }
      const made = await ask('POST', '/api/v1/operators/me/api-keys', { ...as, json })
      const fresh = made?.status === 201 ? ((await made.json()) as { id: string }) : null
      if (fresh) await ask('DELETE', `/api/v1/operators/me/api-keys/${fresh.id}`, as)
      await ask('POST', '/api/v1/operators/me/notifications/read-all', as)
      for (const path of ofSession.slice(n % ofSession.length, (n % ofSession.length) + 3)) {
        await ask('GET', path, as)
      }
      await sleep(WRITE_PAUSE_MS)
    }
  }

  /** Reads the pages of the console in turn, and submits the form of the profile. */
  async function person(): Promise<void> {
    for (let n = 0; isRunning; n++) {
      const path = console[n % console.length] ?? '/console'
      const page = await (await ask('GET', path, { cookie }))?.text()
      const form = page?.split('<form ').find((one) => one.includes(`action="${PROFILE}"`))
      const hidden = form?.split('</form>', 1)[0]?.matchAll(HIDDEN) ?? []
      if (path === PROFILE && form) {
        const fields = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
        await ask('POST', PROFILE, { cookie, form: { ...fields, name: `Person ${n}` } })
      }
      await sleep(CONSOLE_PAUSE_MS)
    }
  }

  async function bystander(): Promise<void> {
    const headers = { 'Neon-Connection-String': plant.databaseUrl() }
    const body = JSON.stringify({ query: 'select 1', params: [] })
    while (isRunning) {
      const began = performance.now()
      await (await fetch(plant.links.neon.url, { method: 'POST', headers, body })).text()
      seen.bare.push(performance.now() - began)
      await sleep(BARE_PAUSE_MS)
    }
  }

  const reads: { path: string; as: Auth }[] = []
  const ofSession: string[] = []
  const { open, console, cookie } = await findPaths(plant, site)
  for (const path of open) {
    for (const token of [undefined, key, site.session]) {
      if ((await ask('GET', path, { token }))?.status === 401) continue
      if (token === site.session) ofSession.push(path)
      else reads.push({ path, as: { token } })
      break
    }
  }
  breaches.splice(0) // errors of the requests that found out which credential each path needs
  seen = { latencies: [], bare: [], requests: 0, late: 0 }
  const workers = [...Array.from({ length: READERS }, reader), operator(), person(), bystander()]
  return {
    breaches,
    take() {
      const taken = seen
      seen = { latencies: [], bare: [], requests: 0, late: 0 }
      return taken
    },
    async stop() {
      isRunning = false
      await Promise.all(workers)
    },
  }
}

/** Creates a key with a high rate limit, because the session is needed for paths that accept no key. */
async function makeReader(plant: Plant, { session }: Site): Promise<string> {
  const body = { name: 'reader', permissions: ['read'] }
  const made = await call(plant, '/operators/me/api-keys', { token: session, body })
  if (made?.status !== 201) throw new Error(`no key to read with: ${made?.status} ${made?.text}`)
  const { id, key } = JSON.parse(made.text)
  await plant.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [id, HIGHEST_LIMIT])
  return key
}
