import { isObject } from '../../src/transparency/bytes.ts'
import { Inconclusive } from './problems.ts'
import { pause, retryAfterMs } from './wait.ts'

const PARALLEL = 6
const PAGE = 50
export const MOST_LISTED = 10_000
const TIMEOUT_MS = 15_000
const TRIES = 4
const NETWORK_WAIT_MS = 1_000
const DEFAULT_WAIT_MS = 5_000
const MAX_TOTAL_WAIT_SECONDS = 120
const BUSY = [429, 503]

/** The registry that is verified. */
export interface Service {
  /** Fetches a path; the response is complete, and its status is 200 or 404. */
  get(path: string, isReader?: boolean): Promise<Response>
  /** Fetches the JSON object of a path, as the owner of the key if there is one; null if it does not exist. */
  fetchJson(path: string, isReader?: boolean): Promise<Record<string, unknown> | null>
  hasKey: boolean
}

/** How requests are made. */
export interface ServiceOptions {
  /** Replaces the global `fetch`, such as by a service binding. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Aborts all requests. */
  signal?: AbortSignal | undefined
  /** The longest total wait for a registry that is busy (429, 503), in seconds; default 120. */
  maxWaitSeconds?: number | undefined
  /** Called before each pause, with its seconds. */
  onWait?: ((seconds: number) => void) | undefined
  /** A key with `read` of the agent's operator or platform, with which `eventsCheck` can open more events. */
  key?: string | undefined
}

/**
 * Creates a client of a registry, which makes at most six requests at a time. After a response that it is busy, no
 * request is made before its Retry-After.
 *
 * @param baseUrl its origin
 */
export function openService(
  baseUrl: string,
  {
    fetch = globalThis.fetch,
    signal = new AbortController().signal,
    maxWaitSeconds = MAX_TOTAL_WAIT_SECONDS,
    onWait,
    key,
  }: ServiceOptions,
): Service {
  const queue: (() => void)[] = []
  let free = PARALLEL
  let waitedMs = 0
  let resumeAt = 0

  const request = async (path: string, isReader: boolean): Promise<Response | null> => {
    const init: RequestInit = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) }
    // Changing responses bypass caches, as they must be of one time. Not every Worker supports the option.
    if ('cache' in Request.prototype && !path.includes('/tile/')) init.cache = 'no-store'
    if (key && isReader) init.headers = { Authorization: `Bearer ${key}` }
    try {
      const response = await fetch(baseUrl + path, init)
      return new Response(await response.arrayBuffer(), response)
    } catch {
      signal.throwIfAborted()
      return null
    }
  }
  const send = async (path: string, isReader: boolean): Promise<Response> => {
    for (let tries = 1; ; tries++) {
      await pause(resumeAt - Date.now(), signal)
      const response = await request(path, isReader)
      if (response?.ok || response?.status === 404) return response
      const now = Date.now()
      const waitMs = response ? (retryAfterMs(response, now) ?? DEFAULT_WAIT_MS) : NETWORK_WAIT_MS
      const addedMs = Math.max(0, now + waitMs - Math.max(now, resumeAt))
      const isTemporary = !response || BUSY.includes(response.status)
      if (!isTemporary || tries === TRIES || waitedMs + addedMs > 1000 * maxWaitSeconds)
        throw new Inconclusive(
          response
            ? `the registry responds to ${path} with status ${response.status}: try again later`
            : 'the registry does not respond: are you offline?',
        )
      waitedMs += addedMs
      resumeAt = Math.max(resumeAt, now + waitMs)
      if (response && addedMs > 0) onWait?.(addedMs / 1000)
    }
  }
  const get = async (path: string, isReader = false): Promise<Response> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await send(path, isReader)
    } finally {
      const next = queue.shift()
      if (next) next()
      else free += 1
    }
  }
  return {
    get,
    hasKey: key !== undefined,
    fetchJson: async (path, isReader) => {
      const response = await get(path, isReader)
      const body: unknown = await response.json().catch(() => null)
      if (isObject(body) && response.ok) return body
      if (isObject(body) && isObject(body.error) && body.error.code === 'NOT_FOUND') return null
      throw new Inconclusive(`the response to ${path} is not that of a registry`)
    },
  }
}

/**
 * The items of a response.
 *
 * @throws Inconclusive if it is not a list
 */
export function itemsOf<Item>(body: Record<string, unknown> | null): Item[] {
  if (Array.isArray(body?.data)) return body.data
  throw new Inconclusive('the registry responds with something other than a list')
}

/** The pages of a list with a cursor; the path has a query. */
export async function* pagesOf(service: Service, path: string, isReader = false) {
  for (let cursor: unknown = ''; typeof cursor === 'string'; ) {
    const page = await service.fetchJson(`${path}&cursor=${encodeURIComponent(cursor)}`, isReader)
    yield page
    // An empty page is the last one, whatever its cursor says.
    cursor = page && itemsOf(page).length > 0 ? page.next_cursor : null
  }
}

/**
 * The pages of a list, up to `MOST_LISTED` items.
 *
 * @throws Inconclusive if it is not a list
 */
export async function fetchPages(service: Service, path: string) {
  const pages: (Record<string, unknown> | null)[] = []
  for (let page = 1; page <= MOST_LISTED / PAGE; page++) {
    const body = await service.fetchJson(`${path}?per_page=${PAGE}&page=${page}`)
    pages.push(body)
    if (itemsOf(body).length < PAGE) break
  }
  return pages
}
