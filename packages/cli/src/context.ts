import type { Command } from 'commander'
import { type ClientOptions, createClient, type RegistryClient } from '../../client/index.ts'
import {
  DEFAULT_PROFILE,
  findStored,
  lastBaseUrl,
  type Place,
  profileOf,
  type Stored,
} from './credentials.ts'
import { Failure, messageOf } from './failure.ts'
import { makeOutput, type Output } from './output.ts'

const REPORT_RETRIES = 5 // so that a long report survives a busy minute or a restart

/** The context of a command. */
export interface Context extends Output, Place {
  stored: Stored | null
  /** A client without a credential. */
  anyone(): RegistryClient
  /** A client of the signed-in operator. */
  operator(): RegistryClient
  /**
   * A client with the API key for reports, with more retries.
   *
   * @param onWait receives the seconds of `Retry-After`
   * @param headers sent with every request
   */
  reporter(onWait: (seconds: number) => void, headers: Record<string, string>): RegistryClient
}

interface GlobalOptions {
  baseUrl?: string
  profile?: string
  json?: boolean
  color?: boolean
}

/**
 * Reads the settings from the command line, the environment and the last login, in this order.
 *
 * @throws Failure when the URL of the registry is missing or invalid
 */
export function contextOf(command: Command): Context {
  const { baseUrl: given, profile: name } = command.optsWithGlobals<GlobalOptions>()
  const baseUrl = readBaseUrl(given || process.env.AGENTREG_BASE_URL || lastBaseUrl())
  const profile = profileOf(name)
  const stored = findStored({ baseUrl, profile })
  return {
    ...outputOf(command),
    baseUrl,
    profile,
    stored,
    anyone: () => connect(baseUrl),
    operator: () => connect(baseUrl, { token: sessionOf(stored, { baseUrl, profile }) }),
    reporter: (onWait, headers) =>
      connect(baseUrl, { token: keyOf(stored), maxRetries: REPORT_RETRIES, onWait, headers }),
  }
}

/** The output of a command that needs no registry. */
export function outputOf(command: Command): Output {
  const { json, color } = command.optsWithGlobals<GlobalOptions>()
  return makeOutput({ isJson: json === true, wantsColor: color !== false })
}

/** Resolves with the exit status, if it is not 0. */
type Work<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<unknown>

/** Creates the action of a command: `work` receives the context, then the arguments and options. */
export function action<Args extends unknown[]>(work: Work<Args>) {
  return async (...all: unknown[]): Promise<void> => {
    const command = all.at(-1) as Command // commander passes it last
    const status = await work(contextOf(command), ...(all.slice(0, -1) as Args))
    if (typeof status === 'number') process.exitCode = status
  }
}

type ConnectOptions = Omit<ClientOptions, 'baseUrl' | 'fetch'> & { onWait?: (seconds: number) => void }

/** Creates a client whose failures state what to do. */
export function connect(baseUrl: string, { onWait, ...options }: ConnectOptions = {}): RegistryClient {
  const send = async (request: Request): Promise<Response> => {
    const response = await fetch(request).catch((cause: unknown) => {
      throw new Failure(`no response from ${baseUrl}: ${messageOf(cause)}`, {
        next: 'check the URL of the registry and your network connection',
        cause,
      })
    })
    const seconds = Number(response.headers.get('retry-after'))
    if (response.status === 429 && seconds > 0) onWait?.(seconds)
    return response
  }
  return createClient({ baseUrl, fetch: send, ...options })
}

/**
 * Reads the base URL of a registry.
 *
 * @returns its origin, without a trailing slash
 * @throws Failure
 */
export function readBaseUrl(word: string | null): string {
  if (!word) {
    throw new Failure('no registry is set', {
      next: 'add --base-url https://registry.example, or set AGENTREG_BASE_URL; agentreg login stores it',
    })
  }
  const url = URL.canParse(word) ? new URL(word) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Failure(`base url: must be a URL such as https://registry.example, not '${word}'`)
  if (url.href === `${url.origin}/`) return url.origin
  throw new Failure(`base url: must be a URL without a path, ${url.origin}, not ${word}`)
}

function sessionOf(stored: Stored | null, { baseUrl, profile }: Place): string {
  const token = process.env.AGENTREG_TOKEN || stored?.token || process.env.AGENTREG_API_KEY
  if (token) return inOneLine(token)
  const [as, flag] =
    profile === DEFAULT_PROFILE ? ['', ''] : [` with the profile ${profile}`, ` --profile ${profile}`]
  throw new Failure(`you are not signed in to ${baseUrl}${as}`, {
    next: `agentreg login --base-url ${baseUrl}${flag}`,
  })
}

/** A credential that a header can have; the error of `fetch` for another would show it. */
function inOneLine(credential: string): string {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential
  throw new Failure('the token or key contains a character that none has, such as a space or a line break')
}

function keyOf(stored: Stored | null): string {
  const key = process.env.AGENTREG_API_KEY || stored?.api_key?.key
  if (key) return inOneLine(key)
  throw new Failure('reports require an API key, and none is set', {
    next: 'agentreg keys create reporter --permission activity:report --save, or set AGENTREG_API_KEY',
  })
}
