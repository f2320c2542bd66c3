import { Inconclusive } from './problems.ts'

const TIMEOUT_MS = 15_000
const TRIES = 4
const DEFAULT_WAIT_SECONDS = 5
const MAX_TOTAL_WAIT_SECONDS = 120
const BUSY = [429, 503]

/** The service whose log is verified; while it is busy, requests are repeated after its Retry-After. */
export interface Service {
  /** Fetches a path; null for status 404. */
  get(path: string): Promise<Response | null>
  /** Fetches the JSON object of a path; null for status 404. */
  fetchJson(path: string): Promise<Record<string, unknown> | null>
}

interface Options {
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Aborts all requests. */
  signal?: AbortSignal | undefined
  /** The longest total duration of all pauses, in seconds; default 120. */
  maxWaitSeconds?: number | undefined
  /** Called before each pause, with its seconds. */
  onWait?: (seconds: number) => void
}

/**
 * Creates a client of a service.
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
  }: Options = {},
): Service {
  let waited = 0
  const send = async (path: string): Promise<Response> => {
    const init: RequestInit = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) }
    // Changing responses bypass caches, as they must be of one time. Not every Worker supports the option.
    if ('cache' in Request.prototype && !path.includes('/tile/')) init.cache = 'no-store'
    try {
      return await fetch(baseUrl + path, init)
    } catch {
      signal.throwIfAborted()
      throw new Inconclusive('the registry does not respond: are you offline?')
    }
  }
  const get = async (path: string): Promise<Response | null> => {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted()
      const response = await send(path)
      const { ok, status, headers } = response
      if (ok) return response
      if (status === 404) return null
      const seconds = Math.max(0, Number(headers.get('Retry-After'))) || DEFAULT_WAIT_SECONDS
      if (!BUSY.includes(status) || tries === TRIES || waited + seconds > maxWaitSeconds)
        throw new Inconclusive(`the registry responds to ${path} with status ${status}: try again later`)
      waited += seconds
      onWait?.(seconds)
      await pause(1000 * seconds, signal)
    }
  }
  return {
    get,
    fetchJson: async (path) => {
      const response = await get(path)
      return response && ((await response.json()) as Record<string, unknown>)
    },
  }
}

/** Resolves after a time, or as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
