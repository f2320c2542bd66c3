const TILE = /^\/log\/(?:\d+\/)?tile\//
const TIMEOUT_MS = 15_000
const TRIES = 4
const DEFAULT_WAIT_SECONDS = 5
const BUSY = [429, 503]

/** That it could not be found out whether something holds: nothing is said of the log. */
export class CannotTell extends Error {}

/** The service whose log is looked at. */
export interface Service {
  /** Whatever it answers; while it is busy, it is asked again when it says so. */
  get(path: string): Promise<Response>
  /** The JSON object of a path; null where there is nothing. */
  ask(path: string): Promise<Record<string, unknown> | null>
}

/**
 * Asks a service.
 *
 * @param baseUrl its origin
 * @param onWait is told of each pause, in seconds
 */
export function openService(baseUrl: string, onWait: (seconds: number) => void = () => {}): Service {
  const send = async (path: string): Promise<Response> => {
    // What changes is never taken from the browser's cache: answers must be of one time.
    const cache = TILE.test(path) ? 'default' : 'no-store'
    try {
      return await fetch(baseUrl + path, { cache, signal: AbortSignal.timeout(TIMEOUT_MS) })
    } catch {
      throw new CannotTell('The registry does not answer. Are you offline? Try again later.')
    }
  }
  const get = async (path: string): Promise<Response> => {
    for (let tried = 1; ; tried++) {
      const response = await send(path)
      if (!BUSY.includes(response.status) || tried === TRIES) return response
      const seconds = Number(response.headers.get('Retry-After') ?? DEFAULT_WAIT_SECONDS)
      onWait(seconds)
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
    }
  }
  return {
    get,
    ask: async (path) => {
      const response = await get(path)
      if (response.status === 404) return null
      if (!response.ok)
        throw new CannotTell(`The registry answers ${path} with status ${response.status}. Try again later.`)
      try {
        return (await response.json()) as Record<string, unknown>
      } catch {
        throw new CannotTell(`The registry answers ${path} with something that is no JSON.`)
      }
    },
  }
}
