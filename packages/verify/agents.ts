import { decodeBase64Url, isObject } from '../../src/transparency/bytes.ts'
import { publicJwk, thumbprint } from '../../src/transparency/jwk.ts'
import { type JwkSet, type KeySource, remoteKeys, requireOrigin } from './keys.ts'
import { readClaims, type Verification } from './token.ts'

const KEPT_SECONDS = 300
const UNKNOWN_KEPT_SECONDS = 60
const FRESH_SECONDS = 10
const TOLERANCE_SECONDS = 60
const ENTRIES_MAX = 10_000
const NEW_LOOKUPS_PER_MINUTE = 120 // of keys never seen: signatures with invented keys cost the registry no more
const TIMEOUT_MS = 5_000

/** What the registry states about the holder of a key. */
export interface Holder {
  verification: Verification
  publicKey: Uint8Array<ArrayBuffer>
  /** When the key was registered, Unix seconds; null if it is not stated. */
  addedAt: number | null
  /** The end of the statement, Unix seconds. */
  until: number
}

/** Finds the agents that hold keys. */
export interface AgentSource {
  holderOf(question: {
    kid: string
    token: string | null // that came with the request
    fresh: boolean
    seconds: number // the current Unix time
  }): Promise<Holder | 'unknown_key' | 'unavailable'>
}

interface Options {
  /** Replaces the global `fetch`, such as by a service binding. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** The keys of the registry's tokens; by default they are fetched. */
  keys?: JwkSet | KeySource
}

type Entry = { holder: Holder | null; at: number }

/**
 * The agents of a registry, for `verifyRequest`. What it states about a key is cached for 5 minutes. Create it once and
 * reuse it.
 *
 * @param registry its origin from your own settings, never from a request
 * @throws TypeError if the issuer is not an origin, or uses http and is not a loopback host
 */
export function registeredAgents(
  registry: string,
  {
    fetch = (url, init) => globalThis.fetch(url, init),
    keys = remoteKeys(registry, { fetch }),
  }: Options = {},
): AgentSource {
  const issuer = requireOrigin(registry)
  const keysFor = async (kid: string) => ('keysFor' in keys ? keys.keysFor(kid) : keys)
  const entries = new Map<string, Entry>()
  const pending = new Map<string, Promise<Entry | null>>()
  let [minute, lookups] = [0, 0]

  const keep = (kid: string, entry: Entry): Entry => {
    entries.delete(kid)
    if (entries.size >= ENTRIES_MAX) entries.delete(entries.keys().next().value ?? '')
    entries.set(kid, entry)
    return entry
  }
  const readToken = async (token: string, kid: string, seconds: number): Promise<Holder | null> => {
    const claims = await readClaims(token, issuer, keysFor, seconds)
    if (typeof claims === 'string' || !isObject(claims.cnf)) return null
    const jwk = publicJwk(claims.cnf.jwk)
    if (jwk?.kty !== 'OKP' || (await thumbprint(jwk)) !== kid) return null
    const publicKey = decodeBase64Url(jwk.x) ?? new Uint8Array()
    const added = Date.parse(isObject(claims.key) ? String(claims.key.added_at) : '') / 1000
    const addedAt = Number.isNaN(added) ? null : added
    return { verification: claims.verification, publicKey, addedAt, until: claims.exp + TOLERANCE_SECONDS }
  }
  /** Asks the registry; null if it gives no answer. */
  const lookUp = async (kid: string, seconds: number): Promise<Entry | null> => {
    const current = Math.floor(seconds / 60)
    if (current !== minute) [minute, lookups] = [current, 0]
    if (!entries.get(kid)?.holder && ++lookups > NEW_LOOKUPS_PER_MINUTE) return null
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const response = await fetch(`${issuer}/api/v1/agent-keys/${kid}/token`, { redirect: 'manual', signal })
      const body: unknown = await response.json()
      if (!isObject(body)) return null
      if (response.ok) {
        const holder = await readToken(String(body.token), kid, seconds)
        return holder && keep(kid, { holder, at: seconds })
      }
      const isUnknown = response.status === 404 && isObject(body.error) && body.error.code === 'NOT_FOUND'
      return isUnknown ? keep(kid, { holder: null, at: seconds }) : null
    } catch {
      return null
    }
  }

  return {
    async holderOf({ kid, token, fresh, seconds }) {
      const { holder = null, at = Number.NEGATIVE_INFINITY } = entries.get(kid) ?? {}
      const until = holder?.until ?? Number.POSITIVE_INFINITY
      const life = fresh ? FRESH_SECONDS : holder ? KEPT_SECONDS : UNKNOWN_KEPT_SECONDS
      if (seconds < at + life && seconds < until) return holder ?? 'unknown_key'
      const presented =
        token === null || fresh ? null : await readToken(token, kid, seconds).catch(() => null)
      const stated = Date.parse(presented?.verification.checked_at ?? '') / 1000
      // A token from before the registry has denied the key says nothing any more.
      if (presented && (holder || stated + TOLERANCE_SECONDS > at)) {
        keep(kid, { holder: presented, at: seconds })
        return presented
      }
      const asked = pending.get(kid) ?? lookUp(kid, seconds).finally(() => pending.delete(kid))
      pending.set(kid, asked)
      const found = await asked
      if (found) return found.holder ?? 'unknown_key'
      // No answer is no evidence: the last statement is valid until its end.
      return !fresh && holder && seconds < until ? holder : 'unavailable'
    },
  }
}
