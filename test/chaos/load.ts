import { setTimeout as sleep } from 'node:timers/promises'
import { API } from '../support/document.ts'
import { type Answer, ask } from '../support/load/ask.ts'
import { startClients } from '../support/load/clients.ts'
import { type Ledger, openLedger } from '../support/load/ledger.ts'
import type { Plant } from './plant.ts'
import type { Site } from './site.ts'
import { reports } from './writes.ts'

const CLIENTS = 6
const PAUSE_MS = 20
const PAUSE_AFTER_FAILURE_MS = 100
const AWAIT_MS = 60_000
const RETRIES = 40

/** A request that must take effect once. */
export interface Write {
  method: 'POST' | 'PATCH'
  path: string
  token: string
  body: object
  /** The status of its success. */
  status: 200 | 201
  /** The Idempotency-Key; null if the route has none. */
  key: string | null
  /** Whether a repeat without a key writes again, or is rejected: then its client first checks whether it is stored. */
  isChecked: boolean
  /** A unique text for each of its events, or for the row that it writes. */
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
  /** Waits for this many more writes, whatever their outcome. */
  sent(count: number): Promise<void>
  stop(): Promise<void>
}

/** Makes the next write, which may follow on from earlier ones. */
export type NextWrite = (earlier: readonly Write[]) => Write | Promise<Write>

/**
 * Writes continuously until it is stopped, also while parts are down, without retries.
 *
 * @param pauseMs of each client after a response
 */
export function startLoad(
  plant: Plant,
  site: Site,
  pauseMs = PAUSE_MS,
  next: NextWrite = reports(site),
): Load {
  const count = { succeeded: 0, failed: 0, sent: 0 }

  async function writeOnce(): Promise<void> {
    const write = await next(load.writes)
    if (load.shiftMs !== 0) write.now = new Date(Date.now() + load.shiftMs)
    load.writes.push(write)
    await send(plant, write, load.ledger)
    count[write.response ? 'succeeded' : 'failed'] += 1
    count.sent += 1
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
    sent: (more) => reach('sent', more),
    stop: () => clients.stop(),
  }
  const clients = startClients(CLIENTS, writeOnce)
  return load
}

/** Sends a write once. A repeat has the same key and test clock. */
export async function send(plant: Plant, write: Write, ledger: Ledger): Promise<Answer | null> {
  const { method, path, token, body, key, now, status } = write
  const headers = {
    ...(key !== null && { 'Idempotency-Key': key }),
    ...(now && { 'X-Test-Now': now.toISOString() }),
  }
  const response = await ledger.record(
    ask(plant.base_url + API + path, { method, token, json: body, headers }),
  )
  if (response?.status === status) write.response ??= response
  else if (response?.status === 503) write.rejection ??= response.text
  else if (response) ledger.breaches.push(`${method} ${path}: ${response.status} ${response.text}`)
  return response
}

/** Repeats a write until it succeeds, as a client would. */
export async function settle(plant: Plant, write: Write, ledger: Ledger): Promise<void> {
  for (let n = 0; n < RETRIES && ledger.breaches.length === 0; n++) {
    const response = await send(plant, write, ledger)
    if (response?.status === write.status) return
    await sleep(PAUSE_AFTER_FAILURE_MS)
  }
  throw new Error(`${write.method} ${write.path} stays without a response`)
}
