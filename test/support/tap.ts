import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request or an answer on its way. */
export interface Piece {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** What becomes of a piece: it goes on, or its connection is cut, or its caller is answered this status instead. */
export type Fate = 'cut' | number | undefined

export interface Tap {
  url: string
  stop(): Promise<void>
}

/**
 * A way to one part of the stack on which a test hears everything, and may cut it off at each step.
 *
 * @param target where the requests go on to; waited for, so that a part may be away meanwhile
 * @param hear.before called before a request goes on
 * @param hear.after called when its answer has come, before the caller has it
 */
export async function startTap(
  target: () => string | Promise<string>,
  hear: {
    before?: (request: Piece) => Fate | Promise<Fate>
    after?: (request: Piece) => Fate | Promise<Fate>
  },
  listen: { host?: string; port?: number } = {},
): Promise<Tap> {
  const server = createServer(async (incoming, outgoing) => {
    const { method, headers, url: path = '/' } = incoming
    try {
      const body = await buffer(incoming)
      const piece = { path, headers, body: body.toString() }
      const stop = (fate: Fate) => {
        if (fate === 'cut') incoming.socket.destroy()
        else if (fate !== undefined) outgoing.writeHead(fate).end('{"error":"said a test"}')
        return fate !== undefined
      }
      if (stop(await hear.before?.(piece))) return
      const answer = await exchange(await target(), { method, headers, path }, body)
      if (stop(await hear.after?.(piece))) return
      outgoing.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      incoming.socket.destroy()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port ?? 0, listen.host ?? '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A connection of its own each time: a kept one would break when its other end is killed. */
function exchange(
  target: string,
  { method, headers, path }: { method?: string | undefined; headers: IncomingHttpHeaders; path: string },
  body: Buffer,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = send(
      new URL(path, target),
      { ...(method && { method }), headers, agent: false },
      (response) =>
        buffer(response).then(
          (answer) =>
            resolve({ status: response.statusCode ?? 502, headers: response.headers, body: answer }),
          reject,
        ),
    )
    request.on('error', reject)
    request.end(body)
  })
}
