import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens to the connections of a link from now on. */
export interface Rules {
  /** Connections are reset as soon as they come, and those that are open at once. */
  refuses: boolean
  requestDelayMs: number
  answerDelayMs: number
  /** Which share of the answers is cut in their middle, by a reset of the connection. */
  cuts: number
  /** Hears each piece of a request; true swallows it. */
  hearsRequest: ((text: string) => boolean) | null
  /** Hears each piece of an answer, with the request before it; true swallows it. */
  hearsAnswer: ((text: string, request: string) => boolean) | null
}

export interface Link {
  port: number
  set(changes: Partial<Rules>): void
  /** Sets everything back to a network that works. */
  heal(): void
  stop(): Promise<void>
}

const LINGER_MS = 300

const HEALTHY: Rules = {
  refuses: false,
  requestDelayMs: 0,
  answerDelayMs: 0,
  cuts: 0,
  hearsRequest: null,
  hearsAnswer: null,
}

/**
 * A piece of network in front of a part: TCP that can be refused, delayed or reset. What is on its way when the rules
 * change arrives as late as it was sent: a request whose caller has given up may still reach the part.
 *
 * @param target the part's port at the moment of a connection; null while the part is not there
 */
export async function startLink(
  target: () => number | null,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Link> {
  let rules = HEALTHY
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const to = target()
    if (rules.refuses || to === null) return void near.resetAndDestroy()
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    near.setNoDelay(true)
    const reset = () => {
      near.resetAndDestroy()
      far.destroy()
    }
    let request = ''
    let isLate = false
    const there = line(() => rules.requestDelayMs)
    const back = line(() => rules.answerDelayMs)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => undefined)
    }
    near.on('data', (piece) => {
      request = piece.toString()
      isLate ||= rules.requestDelayMs > 0
      if (!rules.hearsRequest?.(request)) there(() => far.write(piece))
    })
    far.on('data', (piece) => {
      if (rules.hearsAnswer?.(piece.toString(), request)) return
      if (Math.random() >= rules.cuts) return back(() => near.write(piece))
      back(() => near.write(piece.subarray(0, piece.length / 2), reset))
    })
    // Of a request that was delayed, the part sees the end a while after it: it works on it until then.
    const end = (action: () => void) => there(() => void setTimeout(action, isLate ? LINGER_MS : 0))
    near.on('end', () => end(() => far.end()))
    far.on('end', () => back(() => near.end()))
    near.on('close', () => end(() => far.destroy()))
    far.on('close', () => back(() => (far.errored ? reset() : near.destroySoon())))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const drop = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    set(changes) {
      rules = { ...rules, ...changes }
      if (rules.refuses) drop()
    },
    heal() {
      rules = HEALTHY
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      drop()
      await closed
    },
  }
}

/** Does one thing after the other, each so late as the delay was when it came. */
function line(delayMs: () => number): (action: () => void) => void {
  const waiting: { at: number; action: () => void }[] = []
  const run = () => {
    while (waiting[0] && waiting[0].at <= performance.now()) waiting.shift()?.action()
    if (waiting[0]) setTimeout(run, waiting[0].at - performance.now())
  }
  return (action) => {
    const isFirst = waiting.length === 0
    waiting.push({ at: performance.now() + delayMs(), action })
    if (isFirst) run()
  }
}
