const CACHE_MS = 600_000 // the max-age of the service's key set
const COOLDOWN_MS = 30_000
const FAILURE_PAUSE_MS = 1_000
const TIMEOUT_MS = 5_000
export const JWKS_PATH = '/.well-known/jwks.json'
export const SAFE = /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1])(:|$))/ // http only for loopback hosts

/** A set of JSON Web Keys, as in `/.well-known/jwks.json`. Source: RFC 7517, section 5. */
export interface JwkSet {
  keys: readonly object[]
}

/** Looks up keys by their id. */
export interface KeySource {
  issuer: string
  /** The newest set that may contain the key with this id. */
  keysFor(kid: string): Promise<JwkSet>
}

interface Options {
  /** Replaces the global `fetch`, such as by a service binding. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Replaces `Date.now`, Unix milliseconds; decides the age of the set, independently of `now` of `verifyToken`. */
  clock?: () => number
}

/**
 * The keys of a service, fetched when first needed and cached for 10 minutes. For an unknown id they are fetched again,
 * at most every 30 seconds; concurrent verifications share one request. Create it once and reuse it.
 *
 * @param url the origin of the service from your own settings, never from a token: `https://registry.example`
 * @returns the option `keys` of `verifyToken`, which rejects if none are cached and none could be fetched within 5 seconds
 * @throws TypeError if the issuer is not an origin, or uses http and is not a loopback host
 *
 * Source: docs/use/verification-token.md, "Verify it".
 */
export function remoteKeys(
  url: string,
  { fetch = (url, init) => globalThis.fetch(url, init), clock = Date.now }: Options = {},
): KeySource {
  const issuer = requireOrigin(url)
  const keysUrl = issuer + JWKS_PATH
  let cached: { set: JwkSet; until: number } | null = null
  let failed: { error: unknown; until: number } | null = null
  let nextRefresh = 0
  let pending: Promise<JwkSet> | null = null

  const refresh = (now: number): Promise<JwkSet> => {
    nextRefresh = now + COOLDOWN_MS
    pending ??= fetchKeys(keysUrl, fetch)
      .then(
        (set) => {
          cached = { set, until: now + CACHE_MS }
          failed = null
          return set
        },
        (error: unknown) => {
          failed = { error, until: now + FAILURE_PAUSE_MS }
          throw error
        },
      )
      .finally(() => {
        pending = null
      })
    return pending
  }

  return {
    issuer,
    async keysFor(kid) {
      const now = clock()
      const fresh = cached && now < cached.until ? cached.set : null
      if (!fresh) {
        if (failed && now < failed.until && !pending) throw failed.error
        return refresh(now)
      }
      const isThere = fresh.keys.some((key) => Reflect.get(key, 'kid') === kid)
      if (isThere || (now < nextRefresh && !pending)) return fresh
      // If no newer set arrives, the cached one is recent enough to decide that the key is unknown.
      return refresh(now).catch(() => fresh)
    },
  }
}

async function fetchKeys(url: string, fetch: NonNullable<Options['fetch']>): Promise<JwkSet> {
  try {
    // Redirects are not followed: the keys of another host are not the issuer's.
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const set: unknown = await response.json()
    if (isJwkSet(set)) return set
    throw new Error('no set of keys')
  } catch (cause) {
    throw new Error(`${url} gave no keys`, { cause })
  }
}

function isJwkSet(value: unknown): value is JwkSet {
  const keys = typeof value === 'object' && value !== null ? Reflect.get(value, 'keys') : null
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
}

/**
 * The origin of a registry, as its tokens state it; a final slash is removed.
 *
 * @throws TypeError if it is not an origin, or uses http and is not a loopback host
 */
export function requireOrigin(url: string): string {
  const origin = url.replace(/\/$/, '')
  if (SAFE.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin) return origin
  throw new TypeError('issuer: must be an https origin, such as https://registry.example')
}
