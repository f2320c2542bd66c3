import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CEILINGS } from '../../src/db/tiers.ts'
import type { Plant } from '../chaos/plant.ts'
import { call, type Site } from '../chaos/site.ts'
import { STEPS } from '../support/step-table.ts'

const READERS = 3
const PAUSE_MS = 100
const WRITE_PAUSE_MS = 7_000 // of the strict class ten calls a minute are let through
const CALL_MS = 15_000
const PLENTY = CEILINGS.enterprise.key_requests_per_minute
const AGENT_PAGES = ['', '/log', '/badge.svg', '/badge.json']

/** What callers saw since the last sample. */
export interface Seen {
  latencies: number[]
  requests: number
}

export interface Mix {
  /** Takes what was seen, and begins anew. */
  take(): Seen
  /** Responses that no caller should get. */
  breaches: string[]
  stop(): Promise<void>
}

interface Read {
  path: string
  token?: string | undefined
}

/** Reads every route and page in turns, and changes what an operator may change, until it is stopped. */
export async function startMix(plant: Plant, site: Site): Promise<Mix> {
  const key = await makeReader(plant, site)
  let isRunning = true
  let seen: Seen = { latencies: [], requests: 0 }
  const breaches: string[] = []

  async function ask(
    method: string,
    path: string,
    token: string | undefined,
    body?: object,
  ): Promise<Response | null> {
    const began = performance.now()
    const response = await fetch(plant.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        'CF-Connecting-IP': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS),
    }).catch(() => null) // the Worker is being started again
    const text = await response?.text().catch(() => null)
    if (!response || text === null) return null
    seen.requests += 1
    if (method === 'GET') seen.latencies.push(performance.now() - began)
    const isLimit = response.status === 429 || (response.status === 503 && text?.includes('counted'))
    if (response.status >= 400 && !isLimit) {
      breaches.push(`${method} ${path}: ${response.status} ${text?.slice(0, 300)}`)
    }
    return new Response(text, response)
  }

  async function reader(): Promise<void> {
    while (isRunning) {
      const { path, token } = reads[randomInt(reads.length)] ?? { path: '/' }
      await ask('GET', path, token)
      await sleep(PAUSE_MS)
    }
  }

  async function operator(): Promise<void> {
    for (let n = 0; isRunning; n++) {
      const { session } = site
      await ask('PATCH', '/api/v1/operators/me', session, { company_name: `Soak ${n}` })
      const made = await ask('POST', '/api/v1/operators/me/api-keys', session, {
        name: 'soak',
        permissions: ['read'],
      })
      const fresh = made?.status === 201 ? ((await made.json()) as { id: string }) : null
      if (fresh) await ask('DELETE', `/api/v1/operators/me/api-keys/${fresh.id}`, session)
      await ask('POST', '/api/v1/operators/me/notifications/read-all', session)
      for (const path of ofSession.slice(n % ofSession.length, (n % ofSession.length) + 3)) {
        await ask('GET', path, session)
      }
      await sleep(WRITE_PAUSE_MS)
    }
  }

  const reads: Read[] = []
  const ofSession: string[] = []
  for (const path of await pathsOf(plant, site)) {
    const open = [undefined, key, site.session]
    for (const token of open) {
      if ((await ask('GET', path, token))?.status === 401) continue
      if (token === site.session) ofSession.push(path)
      else reads.push({ path, token })
      break
    }
  }
  breaches.splice(0) // of looking who may read what
  seen = { latencies: [], requests: 0 }
  const workers = [...Array.from({ length: READERS }, reader), operator()]
  return {
    breaches,
    take() {
      const taken = seen
      seen = { latencies: [], requests: 0 }
      return taken
    },
    async stop() {
      isRunning = false
      await Promise.all(workers)
    },
  }
}

/** A key that reads as often as it likes: the session's minute is for what takes nothing else. */
async function makeReader(plant: Plant, { session }: Site): Promise<string> {
  const body = { name: 'reader', permissions: ['read'] }
  const made = await call(plant, '/operators/me/api-keys', { token: session, body })
  if (made?.status !== 201) throw new Error(`no key to read with: ${made?.status} ${made?.text}`)
  const { id, key } = JSON.parse(made.text)
  await plant.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [id, PLENTY])
  return key
}

/** Every route that is read, with what is there: by the table of network steps, which no route escapes. */
async function pathsOf(plant: Plant, { agents, platform, operatorId }: Site): Promise<string[]> {
  const [delivery] = await plant.sql('select id from webhook_deliveries order by created_at limit 1')
  const known: Record<string, string | undefined> = {
    reg: agents[0],
    slug: platform,
    id: operatorId,
  }
  const routes = Object.keys(STEPS).flatMap((route) => {
    const [method, path = ''] = route.split(' ')
    if (method !== 'GET' || path.includes('/auth/callback') || path.includes('/auth/sign-in')) return []
    const isDelivery = path.includes('/deliveries/{id}')
    if (isDelivery && !delivery) return []
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      isDelivery && name === 'id' ? delivery?.id : (known[name] ?? ''),
    )
    return filled.includes('//') || filled.endsWith('/') ? [] : [`/api/v1${filled}`]
  })
  const pages = agents.flatMap((reg) => AGENT_PAGES.map((page) => `/agents/${reg}${page}`))
  const others = [
    '/',
    '/agents',
    `/platforms/${platform}`,
    `/operators/${operatorId}`,
    '/log/checkpoint',
    '/ready',
  ]
  return [...routes, ...pages, ...others]
}
