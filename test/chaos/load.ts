import { setTimeout as sleep } from 'node:timers/promises'
import { API } from '../support/document.ts'
import { type Answer, ask } from '../support/load/ask.ts'
import { startClients } from '../support/load/clients.ts'
import { type Ledger, openLedger } from '../support/load/ledger.ts'
import type { Plant } from './plant.ts'
import type { Site } from './site.ts'
import { writesOf } from './writes.ts'

const CLIENTS = 6
const PAUSE_MS = 20
const PAUSE_AFTER_FAILURE_MS = 100
const AWAIT_MS = 60_000
const RETRIES = 40
const SUCCESS = 201

/** A request that must take effect once. */
export interface Write {
  path: string
  token: string
  body: object
  /** The Idempotency-Key. */
  key: string
  /** A unique text for each of its events, or for the agent that it registers. */
  marks: string[]
  /** Type and mark of each webhook event that it sends. */
  reported: string[]
  /** The test clock of the request; null for the real time. */
  now: Date | null
  /** The first successful response; null if the client does not know the outcome. */
  response: Answer | null
  /** Body of the first 503. */
  rejection: string | null
}

export interface Load {
  writes: Write[]
  ledger: Ledger
  /** Offset of the test clock from the real time. */
  shiftMs: number
  /** Waits for this many more successful writes. */
  succeeded(count: number): Promise<void>
  /** Waits for this many more writes without a response, or with 503. */
  failed(count: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Writes continuously until it is stopped, also while parts are down, without retries.
 *
 * @param pauseMs of each client after a response
 */
export function startLoad(plant: Plant, site: Site, pauseMs = PAUSE_MS): Load {
  const count = { succeeded: 0, failed: 0 }
  const next = writesOf(site)

  async function writeOnce(): Promise<void> {
    const write = next()
    if (load.shiftMs !== 0) write.now = new Date(Date.now() + load.shiftMs)
    load.writes.push(write)
    await send(plant, write, load.ledger)
    count[write.response ? 'succeeded' : 'failed'] += 1
    await sleep(write.response ? pauseMs : PAUSE_AFTER_FAILURE_MS)
  }

  async function reach(kind: keyof typeof count, more: number): Promise<void> {
    const goal = count[kind] + more
    for (const until = Date.now() + AWAIT_MS; count[kind] < goal; await sleep(10)) {
      if (load.ledger.breaches.length > 0) throw new Error(load.ledger.breaches[0])
      if (Date.now() > until) throw new Error(`${goal - count[kind]} of ${more} writes are not ${kind}`)
    }
  }

  const load: Load = {
    writes: [],
    ledger: openLedger(),
    shiftMs: 0,
    succeeded: (more) => reach('succeeded', more),
    failed: (more) => reach('failed', more),
    stop: () => clients.stop(),
  }
  const clients = startClients(CLIENTS, writeOnce)
  return load
}

/** Sends a write once. A repeat has the same key and test clock. */
export async function send(plant: Plant, write: Write, ledger: Ledger): Promise<Answer | null> {
  const { path, token, body: json, key, now } = write
  const headers = { 'Idempotency-Key': key, ...(now && { 'X-Test-Now': now.toISOString() }) }
  const call = { method: 'POST', token, json, headers }
  const response = await ledger.record(ask(plant.base_url + API + path, call))
  if (response?.status === SUCCESS) write.response ??= response
  else if (response?.status === 503) write.rejection ??= response.text
  else if (response) ledger.breaches.push(`POST ${path}: ${response.status} ${response.text}`)
  return response
}

/** Repeats a write until it succeeds, as a client would. */
export async function settle(plant: Plant, write: Write, ledger: Ledger): Promise<void> {
  for (let n = 0; n < RETRIES && ledger.breaches.length === 0; n++) {
    const response = await send(plant, write, ledger)
    if (response?.status === SUCCESS) return
    await sleep(PAUSE_AFTER_FAILURE_MS)
  }
  throw new Error(`POST ${write.path} stays without a response`)
}
