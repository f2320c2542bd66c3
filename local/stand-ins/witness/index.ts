import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { fromFetch, serveAgain } from '../serve.ts'
import { mountFaults } from '../switches.ts'
import { createFaults, FAULTS, type Faults } from './faults.ts'
import { isSignedBy, type LogKey, logKey, type WitnessKey, witnessKey } from './key.ts'
import { type AddCheckpoint, parseRequest } from './request.ts'
import { openStore, type Store } from './store.ts'
import { type Head, isConsistent } from './tree.ts'

const NAME = 'witness.local/w1'
const SLOW_MS = 8_000 // longer than a log waits
const BEYOND = 1_000_000n // leaves, added to the size in a false conflict
const EMPTY: Head = { size: 0n, root: Buffer.alloc(0) }

export interface Witness {
  /** The base URL for checkpoints; its root shows the cosigned heads. */
  url: string
  vkey: string
  /** Its line of a tlog-policy. */
  policyLine: string
  stop(): Promise<void>
}

interface Options {
  /** Data folder (`witness.json`): its key, and the cosigned heads. */
  dir: string
  /** Verifier keys of the logs that it knows. */
  logs: readonly string[]
}

const logsInput = z.array(z.string())

/**
 * Starts the stand-in for a witness of transparency logs: it cosigns a head of a known log if it extends the last head
 * that the witness cosigned.
 *
 * Source: C2SP tlog-witness, tlog-cosignature
 */
export async function startWitness({ dir, logs }: Options): Promise<Witness> {
  const store = openStore(dir)
  const key = witnessKey(NAME, Buffer.from(store.state.seed, 'base64'))
  const listener: RequestListener = fromFetch(
    witnessApp({ store, key, keys: logs.map(logKey), faults: createFaults() }).fetch,
  )
  const { url, stop } = await serveAgain('witness', listener, store)
  return { url, vkey: key.vkey, policyLine: `witness w1 ${key.vkey} ${url}`, stop }
}

interface Parts {
  store: Store
  key: WitnessKey
  /** Replaced by `PUT /logs`. */
  keys: LogKey[]
  faults: Faults
}

function witnessApp(parts: Parts): Hono {
  const { store, key, faults } = parts
  const app = new Hono()

  app.get('/', (c) => c.json({ vkey: key.vkey, heads: store.state.heads }))

  app.post('/add-checkpoint', async (c) => {
    const request = parseRequest(await c.req.text())
    if (faults.take('slow')) await sleep(SLOW_MS)
    if (faults.take('silent')) return new Promise<never>(() => undefined)
    if (!request) return c.text('not a request to cosign\n', 400)
    return respond(c, request, parts)
  })

  app.put('/logs', async (c) => {
    const logs = logsInput.safeParse(await c.req.json().catch(() => null))
    if (!logs.success) return c.text(z.prettifyError(logs.error), 400)
    parts.keys = logs.data.map(logKey)
    return c.body(null, 204)
  })

  mountFaults(app, FAULTS, () => faults)
  return app
}

/** Synchronous: a head is compared and replaced atomically, so an older head cannot replace it. */
function respond(c: Context, request: AddCheckpoint, { store, key, keys, faults }: Parts): Response {
  const { origin, oldSize, head, text, path, signatures } = request
  const known = keys.filter(({ name }) => name === origin)
  if (known.length === 0) return c.text('unknown log\n', 404)
  const isSigned = signatures.some(({ name, id, signature }) =>
    known.some((one) => one.name === name && one.id.equals(id) && isSignedBy(one, text, signature)),
  )
  if (!isSigned || faults.take('forbidden')) return c.text('not signed by a key of the log\n', 403)
  if (oldSize > head.size) return c.text('the old size is larger than the new size\n', 400)
  const last = headOf(store, origin)
  if (faults.take('lyingSize')) return conflict(c, last.size + BEYOND)
  if (oldSize !== last.size || faults.take('conflict')) return conflict(c, last.size)
  const isFirst = last.size === 0n
  if (!isFirst && last.size === head.size && !last.root.equals(head.root)) return conflict(c, last.size)
  if (
    !isConsistent(isFirst ? { ...last, root: head.root } : last, head, path) ||
    faults.take('unprocessable')
  )
    return c.text('the new head does not extend the old one\n', 422)
  store.state.heads[origin] = { size: String(head.size), root: head.root.toString('base64') }
  store.save()
  const now = Math.floor(Date.now() / 1000)
  if (faults.take('otherHead')) return c.text(key.cosign(text.replace(/\n\d+\n/, '\n0\n'), now))
  const line = key.cosign(text, now)
  return c.text(faults.take('badSignature') ? damaged(line) : line)
}

/** Changes the last byte of the signature in a line. */
function damaged(line: string): string {
  const [dash, name, text = ''] = line.trimEnd().split(' ')
  const bytes = Buffer.from(text, 'base64')
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  return `${dash} ${name} ${bytes.toString('base64')}\n`
}

function headOf({ state }: Store, origin: string): Head {
  const known = Object.hasOwn(state.heads, origin) ? state.heads[origin] : undefined
  return known ? { size: BigInt(known.size), root: Buffer.from(known.root, 'base64') } : EMPTY
}

function conflict(c: Context, size: bigint): Response {
  return c.body(`${size}\n`, 409, { 'Content-Type': 'text/x.tlog.size' })
}
