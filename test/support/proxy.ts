import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request to a part, before or after its response. */
export interface Piece {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** What happens to a call: it is forwarded, its connection is cut, it never returns, or this is its response. */
export type Fate = 'open' | 'cut' | 'silent' | 'error' | 'garbage' | number

type Verdict = Fate | undefined | Promise<Fate | undefined>

/** What happens to subsequent calls; hooks run first. */
interface Rules {
  mode: Fate
  /** Receives a request before it is forwarded. */
  before: ((piece: Piece) => Verdict) | null
  /** Called with the size of a response's body before the response is forwarded. */
  after: ((piece: Piece, bytes: number) => Verdict) | null
  requestDelayMs: number
  responseDelayMs: number
  /** The share of responses that a connection reset interrupts. */
  halved: number
}

export interface StartedProxy {
  url: string
  port: number
  /** Changes the rules; `mode: 'cut'` also closes open connections. */
  set(changes: Partial<Rules>): void
  /** Restores the initial rules. */
  heal(): void
  /** The number of calls so far. */
  readonly calls: number
  /** The number of calls that never get a response. */
  readonly held: number
  stop(): Promise<void>
}

/** The current URL of a part; null while it is down. */
type Target = () => string | null | Promise<string | null>

const OPEN: Rules = {
  mode: 'open',
  before: null,
  after: null,
  requestDelayMs: 0,
  responseDelayMs: 0,
  halved: 0,
}
const KEEP_ALIVE_MS = 60_000 // longer than the runtime keeps a connection, so that none is closed during a request
const PORT_MS = 30_000 // the runtime below a killed process may hold its port for a moment more
const RETRY_MS = 50

/**
 * Starts a proxy between two parts of the stack, so that a test can observe, delay or break requests. A delayed request
 * is forwarded even if its caller has disconnected; others are aborted with their caller.
 *
 * @param target the part; for a `postgres:` URL, bytes are forwarded, and only `cut` and `halved` apply
 * @param rules the initial rules, which `heal` restores
 */
export async function startProxy(
  target: Target | string,
  rules: Partial<Rules> = {},
  { host = '127.0.0.1', port = 0 } = {},
): Promise<StartedProxy> {
  const targetOf = typeof target === 'string' ? () => target : target
  const atStart = { ...OPEN, ...rules }
  const state = { rules: atStart, calls: 0, held: 0 }
  const isRaw = (await targetOf())?.startsWith('postgres') ?? false
  const server = isRaw ? rawServer(targetOf, state) : httpServer(targetOf, state)
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
  })
  const drop = () => {
    for (const socket of open) socket.destroy()
  }
  await listen(server, host, port)
  const bound = (server.address() as AddressInfo).port
  const { pathname } = new URL((typeof target === 'string' && target) || 'http://any')
  return {
    url: `http://127.0.0.1:${bound}${pathname.replace(/\/$/, '')}`,
    port: bound,
    set(changes) {
      state.rules = { ...state.rules, ...changes }
      if (changes.mode === 'cut') drop()
    },
    heal() {
      state.rules = atStart
    },
    get calls() {
      return state.calls
    },
    get held() {
      return state.held
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      drop()
      await closed
    },
  }
}

interface State {
  rules: Rules
  calls: number
  held: number
}

function httpServer(target: Target, state: State): Server {
  const server = createServer(async (incoming, outgoing) => {
    const { headers, url: path = '/', socket } = incoming
    const left = new AbortController()
    outgoing.on('close', () => outgoing.writableFinished || left.abort())
    const isOver = (fate: Fate) => {
      if (fate === 'cut') socket.destroy()
      else if (fate === 'silent') state.held += 1
      else if (fate === 'garbage') outgoing.writeHead(200).end('<html>')
      else if (fate !== 'open') {
        outgoing.writeHead(fate === 'error' ? 500 : fate).end('{"error":"ERR out of order"}')
      }
      return fate !== 'open'
    }
    state.calls += 1
    try {
      const { mode, requestDelayMs } = state.rules
      if (mode !== 'open' && isOver(mode)) return
      const body = await buffer(incoming)
      const piece = { path, headers, body: body.toString() }
      if (isOver((await state.rules.before?.(piece)) ?? 'open')) return
      if (requestDelayMs > 0) await sleep(requestDelayMs)
      const to = await target()
      if (to === null) return void socket.destroy()
      const response = await exchange(to, incoming, body, requestDelayMs > 0 ? null : left.signal)
      if (isOver((await state.rules.after?.(piece, response.body.length)) ?? 'open')) return
      const { responseDelayMs, halved } = state.rules
      if (responseDelayMs > 0) await sleep(responseDelayMs)
      outgoing.writeHead(response.status, response.headers)
      if (Math.random() >= halved) return void outgoing.end(response.body)
      outgoing.flushHeaders()
      outgoing.write(response.body.subarray(0, response.body.length / 2))
      setImmediate(() => socket.resetAndDestroy())
    } catch {
      socket.destroy()
    }
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

/** Opens a new connection each time, as a kept one would break when its other end is killed. */
function exchange(
  target: string,
  { method = 'GET', headers, url = '/' }: IncomingMessage,
  body: Buffer,
  signal: AbortSignal | null,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(signal && { signal }) }
    const request = send(new URL(url, target), options, (response) => {
      const { statusCode: status = 502, headers } = response
      buffer(response).then((body) => resolve({ status, headers, body }), reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

function rawServer(target: Target, state: State): Server {
  return createTcpServer({ allowHalfOpen: true }, async (near) => {
    const url = await target()
    if (url === null || state.rules.mode === 'cut') return void near.resetAndDestroy()
    const far = connect({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      allowHalfOpen: true,
      noDelay: true,
    })
    near.setNoDelay(true)
    near.pipe(far)
    far.on('data', (piece) => {
      if (Math.random() >= state.rules.halved) return void near.write(piece)
      near.write(piece.subarray(0, piece.length / 2), () => near.resetAndDestroy())
    })
    far.on('end', () => near.end()).on('error', () => near.resetAndDestroy())
    near.on('close', () => far.destroy())
  })
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  for (const until = Date.now() + PORT_MS; ; await sleep(RETRY_MS)) {
    try {
      server.listen(port, host)
      return void (await once(server, 'listening'))
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}
