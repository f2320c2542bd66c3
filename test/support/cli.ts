import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { freshIp } from './harness.ts'
import { installCli } from './made.ts'

let installed: Promise<string> | undefined // for the test run (test/support/made.ts), else by this process

interface Ran {
  /** Null if a signal ended it. */
  status: number | null
  out: string
  err: string
}

export interface Started {
  pid: number
  /** The output so far. */
  readonly out: string
  readonly err: string
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has ended. */
  ended: Promise<Ran>
}

/** Changes a response; undefined leaves it unchanged. */
type Tamper = (path: string, body: string) => string | undefined | Promise<string | undefined>

interface Early {
  status: number
  headers?: Record<string, string>
}

interface Options {
  tamper?: Tamper
  /** Receives each request before it is forwarded; a returned status with headers is sent as the response instead. */
  onRequest?: (
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
  ) => Early | undefined | Promise<Early | undefined>
  /** Sent with every request, such as `X-Test-Now`. */
  headers?: Record<string, string>
}

/**
 * The command line with its own home folder and its own IP address, so that the rate limits of other
 * tests do not affect it. For `await using`.
 *
 * @param baseUrl the registry
 */
export async function newCli(baseUrl: string, options: Options = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'agentreg-'))
  installed ??= process.env.TEST_CLI
    ? Promise.resolve(process.env.TEST_CLI)
    : mkdtemp(join(tmpdir(), 'agentreg-installed-')).then(installCli)
  const main = await installed
  const proxy = await startForwardProxy(options)
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: dir,
    XDG_CONFIG_HOME: join(dir, 'config'),
    AGENTREG_BASE_URL: baseUrl,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy.url,
  }

  function start(
    args: readonly string[],
    more: { env?: Record<string, string>; input?: string } = {},
  ): Started {
    const child = spawn(process.execPath, [main, ...args], { cwd: dir, env: { ...env, ...more.env } })
    const said = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said.err += text
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(more.input ?? '')
    const ended = once(child, 'close').then(([status]): Ran => ({ status, out: said.out, err: said.err }))
    return Object.assign(said, {
      pid: child.pid ?? 0,
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
      ended,
    })
  }

  return {
    dir,
    env,
    /** The file to start with Node. */
    main,
    start,
    /** Runs a command to its end. */
    run: (...args: string[]) => start(args).ended,
    /** The same with variables or an input. */
    runWith: (more: { env?: Record<string, string>; input?: string }, ...args: string[]) =>
      start(args, more).ended,
    [Symbol.asyncDispose]: async () => {
      await proxy.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Cli = Awaited<ReturnType<typeof newCli>>

/** A proxy for all requests of Node, which gives them one IP address. */
async function startForwardProxy({ tamper, onRequest, headers: more }: Options) {
  const ip = freshIp()
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    try {
      const { method = 'GET', headers, url = '/' } = incoming
      const target = new URL(url, `http://${headers.host}`)
      const body = await buffer(incoming)
      const early = await onRequest?.(method, target.pathname + target.search, headers)
      if (early) return void outgoing.writeHead(early.status, early.headers).end('{}')
      const sent = { ...headers, ...more, 'cf-connecting-ip': ip, 'accept-encoding': 'identity' }
      const requested = send(target, { method, headers: sent, agent: false })
      requested.end(body)
      const [response] = (await once(requested, 'response')) as [IncomingMessage]
      const whole = await buffer(response)
      const changed = await tamper?.(target.pathname + target.search, whole.toString())
      const { 'content-length': _, 'transfer-encoding': __, ...kept } = response.headers
      outgoing.writeHead(response.statusCode ?? 502, kept).end(changed ?? whole)
    } catch {
      incoming.socket.destroy()
    }
  }
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  // Terminates tunnels, which contain plain HTTP.
  server.on('connect', (_, socket) => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    server.emit('connection', socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** The JSON that a command printed; throws with its output if there is none. */
// biome-ignore lint/suspicious/noExplicitAny: tests read fields of any command's output
export function jsonOf({ status, out, err }: Ran): any {
  try {
    return JSON.parse(out)
  } catch {
    throw new Error(`no JSON, status ${status}: ${out}\n${err}`)
  }
}

/**
 * Expects each command to print nothing but an error.
 *
 * @param refused words separated by spaces, and what the error must contain
 */
export async function expectRefused(
  run: (...words: string[]) => Promise<Ran>,
  status: number,
  refused: [command: string, err: RegExp][],
): Promise<void> {
  for (const [command, err] of refused) {
    const ran = await run(...command.split(' '))
    expect({ command, ...ran }).toEqual({ command, status, out: '', err: expect.stringMatching(err) })
  }
}
