import { CannotTell } from './problems.ts'

const TILE = /^\/log\/(?:\d+\/)?tile\//
const TIMEOUT_MS = 15_000
const TRIES = 4
const DEFAULT_WAIT_SECONDS = 5
const MAX_WAIT_SECONDS = 60 // the window of a limit
const MAX_TOTAL_WAIT_SECONDS = 120
const BUSY = [429, 503]

/** The service whose log is looked at. */
export interface Service {
  /** Whatever it returns; while it is busy, it is asked again when it says so. */
  get(path: string): Promise<Response>
  /** The JSON object of a path; null where there is nothing. */
  ask(path: string): Promise<Record<string, unknown> | null>
}

interface Options {
  /** Instead of the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Ends all calls. */
  signal?: AbortSignal | undefined
  /** How long all pauses together may last, in seconds; 120 when left out. */
  maxWaitSeconds?: number
  /** Is told of each pause, in seconds. */
  onWait?: (seconds: number) => void
}

/**
 * Asks a service.
 *
 * @param baseUrl its origin
 */
export function openService(
  baseUrl: string,
  {
    fetch = (url, init) => globalThis.fetch(url, init),
    signal,
    maxWaitSeconds = MAX_TOTAL_WAIT_SECONDS,
    onWait = () => {},
  }: Options = {},
): Service {
  let waited = 0
  const send = async (path: string): Promise<Response> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const init: RequestInit = { signal: signal ? AbortSignal.any([signal, timeout]) : timeout }
    // What changes is never taken from a cache: responses must be of one time. Not every Worker knows the option.
    if ('cache' in Request.prototype && !TILE.test(path)) init.cache = 'no-store'
    try {
      return await fetch(baseUrl + path, init)
    } catch {
      signal?.throwIfAborted()
      throw new CannotTell('The registry does not respond. Are you offline? Try again later.')
    }
  }
  const get = async (path: string): Promise<Response> => {
    for (let tried = 1; ; tried++) {
      const response = await send(path)
      if (!BUSY.includes(response.status) || tried === TRIES) return response
      const told = Number(response.headers.get('Retry-After') ?? DEFAULT_WAIT_SECONDS)
      const seconds = told >= 0 && told <= MAX_WAIT_SECONDS ? told : DEFAULT_WAIT_SECONDS
      if (waited + seconds > maxWaitSeconds) return response
      waited += seconds
      onWait(seconds)
      await pause(1000 * seconds, signal)
    }
  }
  return {
    get,
    ask: async (path) => {
      const response = await get(path)
      if (response.status === 404) return null
      if (!response.ok)
        throw new CannotTell(
          `The registry responds to ${path} with status ${response.status}. Try again later.`,
        )
      try {
        return (await response.json()) as Record<string, unknown>
      } catch {
        throw new CannotTell(`The registry responds to ${path} with something that is no JSON.`)
      }
    },
  }
}

/** Resolves after a time; rejects as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
