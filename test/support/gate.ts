import { createServer, request as forward, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Mode = 'open' | 'cut' | 'half' | 'silent' | 'error' | 'garbage'

export interface Gate {
  url: string
  /**
   * What happens to calls from now on: passed on, cut off, cut off within the answer, never answered,
   * answered by 500 or by nonsense.
   */
  mode: Mode
  /** How many calls wait for an answer that never comes. */
  readonly held: number
  stop(): Promise<void>
}

/** A way to one part of the stack that can be closed while the part itself runs on for everybody else. */
export async function startGate(target: string): Promise<Gate> {
  const to = new URL(target)
  const held = new Set<ServerResponse>()
  const server = createServer((incoming, outgoing) => {
    if (gate.mode === 'cut') return void incoming.socket.destroy()
    if (gate.mode === 'silent') return void held.add(outgoing)
    if (gate.mode === 'error') return void outgoing.writeHead(500).end('{"error":"ERR out of order"}')
    if (gate.mode === 'garbage') return void outgoing.writeHead(200).end('<html>')
    const { method, headers } = incoming
    const passed = forward(new URL(incoming.url ?? '/', to), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (gate.mode === 'half') {
        outgoing.write('{"fields":', () => incoming.socket.destroy())
        return
      }
      answer.pipe(outgoing)
    })
    passed.on('error', () => incoming.socket.destroy())
    outgoing.on('close', () => outgoing.writableFinished || passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const gate: Gate = {
    url: `http://127.0.0.1:${port}${to.pathname.replace(/\/$/, '')}`,
    mode: 'open',
    get held() {
      return held.size
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return gate
}
