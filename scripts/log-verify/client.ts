import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { messageOf } from '../support/message.ts'

const PARALLEL = 6
const TIMEOUT_MS = 15_000
const NETWORK_TRIES = 3
const PAUSE_MS = 500
const DEFAULT_WAIT_SECONDS = 5
const BUSY = [429, 503]

/** Asks one service: never more than a few requests at once, and not beyond its limits. */
export interface Client {
  /** Whatever the service returns, but for 429 and 503, after which it is asked again when it says so. */
  get(path: string): Promise<Response>
  /** The JSON of a path of the API. */
  ask<T>(path: string, shape: z.ZodType<T>): Promise<T>
}

interface Options {
  baseUrl: string
  /** Sent with calls of the API, and with nothing else. */
  key?: string | undefined
  /** How long all requests together may take. */
  patienceMs: number
}

/**
 * A client of a service. Each method rejects with an Error that names the path, when no response of use comes in time.
 *
 * @param options `baseUrl` without a slash at its end
 */
export function openClient({ baseUrl, key, patienceMs }: Options): Client {
  const until = Date.now() + patienceMs
  const waiting: (() => void)[] = []
  let free = PARALLEL
  let resumeAt = 0

  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
  const send = async (path: string): Promise<Response> => {
    for (let tried = 1; ; tried++) {
      const wait = resumeAt - Date.now()
      if (Date.now() + Math.max(0, wait) > until) throw new Error(`GET ${path}: timed out`)
      if (wait > 0) await sleep(wait)
      try {
        const response = await fetch(baseUrl + path, {
          headers: { ...(key && path.startsWith('/api/') && { Authorization: `Bearer ${key}` }) },
          redirect: 'error',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        // Read whole here: what breaks off is asked for again.
        const body = await response.arrayBuffer()
        if (!BUSY.includes(response.status)) return whole(response, body)
        resumeAt = Math.max(resumeAt, Date.now() + 1000 * waitOf(response))
      } catch (cause) {
        if (tried >= NETWORK_TRIES)
          throw new Error(`GET ${path}: no response from ${baseUrl} (${messageOf(cause)})`)
        await sleep(PAUSE_MS * tried)
      }
    }
  }
  const get = (path: string) => limited(() => send(path))
  return {
    get,
    ask: async (path, shape) => {
      const response = await get(path)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`GET ${path}: status ${response.status}${reasonOf(text)}`)
      const parsed = shape.safeParse(parseJson(text))
      if (parsed.success) return parsed.data
      throw new Error(`GET ${path}: unexpected response`, { cause: parsed.error })
    },
  }
}

function whole({ status, headers }: Response, body: ArrayBuffer): Response {
  return new Response([204, 304].includes(status) ? null : body, { status, headers })
}

function waitOf({ headers }: Response): number {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_WAIT_SECONDS
}

function reasonOf(text: string): string {
  const body = parseJson(text) as { error?: { message?: unknown } } | null | undefined
  const message = body?.error?.message
  return typeof message === 'string' ? ` (${message})` : ''
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
