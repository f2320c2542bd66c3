import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { messageOf } from '../support/message.ts'

const PARALLEL = 6
const TIMEOUT_MS = 15_000
const NETWORK_TRIES = 3
const PAUSE_MS = 500
const DEFAULT_WAIT_SECONDS = 5
const BUSY = [429, 503]

/** A client of one service that limits its concurrent requests and respects rate limits. */
export interface Client {
  /** Any response except 429 and 503, after which the request is retried as `Retry-After` states. */
  get(path: string): Promise<Response>
  /** The JSON of an API path. */
  ask<T>(path: string, shape: z.ZodType<T>): Promise<T>
}

interface Options {
  baseUrl: string
  /** Sent only with requests to the API. */
  key?: string | undefined
  /** The time limit for all requests together. */
  patienceMs: number
}

/**
 * Opens a client of a service. Its methods reject with an Error that names the path if no usable response arrives.
 *
 * @param options `baseUrl` without a trailing slash
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
        // Read completely, so that an interrupted response is retried.
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
