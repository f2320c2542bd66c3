import { createMiddleware } from 'hono/factory'
import type { Permission } from '../db/enums.ts'
import { QUOTAS } from '../db/tiers.ts'
import { ApiError } from '../errors.ts'
import type { App, Caller, Ctx } from '../http/context.ts'
import { type AddressPolicy, POLICIES, type RateLimit, type SessionPolicy } from '../http/limits.ts'
import { countAddress, countRequest, enforce, setKeyLimit } from '../http/ratelimit.ts'
import { secretMatches, sha256 } from '../lib/crypto.ts'
import type { OwnPlatform } from '../wire/own-platform.ts'
import { rememberRejected, wasRejected } from './rejected.ts'
import { findConsoleSession, findKey, findSession } from './store.ts'
import { type Kind, type Presented, readToken, type Token } from './token.ts'
import { countUse } from './usage.ts'

/** Who may call a route, and in which limit class the call counts. */
export type Access =
  /** A public read of the API. A Bearer credential is optional, but must be valid: it raises the limit, and may show more. */
  | { by: 'anyone' }
  /**
   * Counted by IP address, whatever credential is sent. `countFirst`: wait for the limiter, because the effect of the
   * route cannot be undone if the limit is exceeded.
   */
  | ByAddress
  | { by: 'session'; limit: SessionPolicy; prefetch?: Prefetch }
  /** `platforms`: whether platform keys are accepted as well; other routes reject them. */
  | { by: 'key' | 'session-or-key'; permissions: readonly [Permission, ...Permission[]]; platforms?: true }

interface ByAddress {
  by: 'address'
  limit: AddressPolicy
  countFirst?: boolean
}

/** By the session in the cookie of a browser, which is accepted only by the console. */
interface ConsoleAccess {
  by: 'console'
  limit: SessionPolicy
  prefetch?: Prefetch
}

/** A read that a route needs before its statement. It runs in parallel with that of the credential: no extra step. */
export type Prefetch = (c: Ctx, token: Token) => Promise<unknown>

/** The result of the route's `prefetch`; `_read` is that function and only gives the type. */
export function prefetched<Read extends Prefetch>(c: Ctx, _read: Read): Awaited<ReturnType<Read>> {
  return c.get('prefetched') as Awaited<ReturnType<Read>>
}

const BEARER = /^bearer([\s,]|$)/i // other schemes are ignored by public reads
const PUBLIC: ByAddress = { by: 'address', limit: 'public' }

const ACCEPTED = {
  session: ['session'],
  console: ['console'],
  key: ['key'],
  'session-or-key': ['session', 'key'],
  anyone: ['session', 'key'],
} as const satisfies Record<string, readonly Kind[]>

/**
 * Counts the call, checks its credential in parallel, and rejects callers that may not use the route.
 *
 * @param presented reads the credential of the request; below /api always the header `Authorization`
 */
export function authorize(access: Access | ConsoleAccess, presented: (c: Ctx) => string = bearerToken) {
  return createMiddleware<App>(async function authorize(c, next) {
    if (access.by === 'address') await admitAddress(c, access)
    else if (access.by === 'anyone' && !BEARER.test(c.req.header('authorization') ?? ''))
      await admitAddress(c, PUBLIC)
    else await admitCaller(c, access, presented(c))
    await next()
  })
}

/** Counts a call by address. Without `countFirst`, its work does not wait for Redis; `rateLimit` may replace the response. */
async function admitAddress(c: Ctx, { limit, countFirst = false }: ByAddress): Promise<void> {
  const rateLimit = countAddress(c, limit)
  c.set('rateLimit', Promise.resolve(rateLimit))
  if (countFirst || !(rateLimit instanceof Promise)) enforce(await rateLimit)
}

async function admitCaller(
  c: Ctx,
  access: Exclude<Access, ByAddress> | ConsoleAccess,
  text: string,
): Promise<void> {
  const accepted: readonly Kind[] = ACCEPTED[access.by]
  const presented = await readToken(text, c.get('env').CREDENTIALS_KEY)
  if (!presented.ok || !accepted.includes(presented.token.kind)) throw unauthorized(c, accepted, presented)
  const { token } = presented
  const policy = token.kind === 'key' ? 'key' : 'limit' in access ? access.limit : 'session'
  const tokenHash = await sha256(text)
  if (wasRejected(tokenHash, c.get('now')())) throw unauthorized(c, accepted, presented)
  const [rateLimit, credential, read] = await Promise.all([
    countRequest(c, policy, tokenHash),
    findCredential(c, token),
    'prefetch' in access ? access.prefetch?.(c, token) : undefined,
  ])
  c.set('prefetched', read)
  if (!credential) {
    rememberRejected(tokenHash, c.get('now')())
    throw unauthorized(c, accepted, presented)
  }
  if (credential.limit !== undefined) setKeyLimit(tokenHash, credential.limit)
  const isPublic = access.by === 'anyone'
  const limit = Math.max(credential.limit ?? rateLimit.limit, isPublic ? POLICIES.public.limit : 0)
  const own: RateLimit = { ...rateLimit, limit }
  c.set('rateLimit', Promise.resolve(own))
  c.set('caller', credential.caller)
  enforce(own)
  if (credential.caller.kind === 'key') countUse(c, credential.caller.key_id)
  if (credential.caller.suspended && !isPublic) throw operatorSuspended()
  if ('permissions' in access) {
    if (!access.platforms && credential.caller.platform_id) {
      throw new ApiError(
        'FORBIDDEN',
        'this endpoint does not accept the API key of a platform; use an API key of the operator',
      )
    }
    requirePermission(credential.caller, access.permissions)
  }
}

interface Credential {
  caller: Caller
  limit?: number
}

const FIND = { key: findKey, session: findSession, console: findConsoleSession } as const

async function findCredential(c: Ctx, token: Token): Promise<Credential | null> {
  const now = c.get('now')()
  const row = await FIND[token.kind](c.get('db'), token.id, now)
  if (!row || !(await secretMatches(token.secret, row))) return null
  const { salt, secret_hash, operator_status, ...found } = row
  const suspended = operator_status === 'suspended'
  if (!('permissions' in found))
    return { caller: { kind: 'session', suspended, platform_id: null, ...found } }
  const { rate_limit_per_minute, ...key } = found
  const limit = Math.min(rate_limit_per_minute, QUOTAS[key.tier].key_requests_per_minute)
  return { caller: { kind: 'key', suspended, ...key }, limit }
}

/** The bearer token of a request; empty without one. */
function bearerToken(c: Ctx): string {
  return /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
}

/** The error for a rejected credential: names what the route accepts. The call is counted by IP address. */
function unauthorized(c: Ctx, accepted: readonly Kind[], presented: Presented): ApiError {
  c.set('rateLimit', Promise.resolve(countAddress(c, 'public')))
  const message = problemOf(presented, accepted)
  return new ApiError('UNAUTHORIZED', `Authorization: ${message}`, { 'WWW-Authenticate': 'Bearer' })
}

function problemOf(presented: Presented, accepted: readonly Kind[]): string {
  const named = accepted.map((kind) => `${CREDENTIAL[kind].token} (${CREDENTIAL[kind].shown})`).join(' or ')
  const rule = `this endpoint ${accepted === ACCEPTED.anyone ? 'accepts only' : 'requires'} ${named}`
  const kind = presented.ok ? presented.token.kind : presented.like
  if (!kind) return `${rule} as a Bearer token`
  if (!accepted.includes(kind)) return `${rule}, not ${CREDENTIAL[kind].token}`
  if (presented.ok)
    return `this ${CREDENTIAL[kind].name} is unknown, expired, or revoked; ${CREDENTIAL[kind].instead}`
  return `looks like ${CREDENTIAL[kind].token} but is incomplete or mistyped; copy the whole token again`
}

const CREDENTIAL = {
  session: { name: 'session token', token: 'a session token', shown: 'reg_sess_…', instead: 'sign in again' },
  console: {
    name: 'session token',
    token: 'a session token of the console',
    shown: 'reg_cons_…',
    instead: 'sign in again',
  },
  key: { name: 'API key', token: 'an API key', shown: 'reg_live_…', instead: 'create a new one' },
} as const satisfies Record<Kind, { name: string; token: string; shown: string; instead: string }>

export function operatorSuspended(): ApiError {
  return new ApiError('FORBIDDEN', 'this operator is suspended; contact the administrator of this registry')
}

/** Whether the caller has one of these permissions; a session has all. */
function hasPermission(caller: Caller, permissions: readonly Permission[]): boolean {
  return (
    caller.kind === 'session' || permissions.some((permission) => caller.permissions.includes(permission))
  )
}

function requirePermission(caller: Caller, permissions: readonly Permission[]): void {
  if (hasPermission(caller, permissions)) return
  throw new ApiError(
    'FORBIDDEN',
    `this API key lacks the permission ${permissions.join(' or ')}; create a key that has it`,
  )
}

/** The caller to whom a public read may show more; null for the public, for keys without `read`, and if suspended. */
export function readerOf(c: Ctx): Caller | null {
  const caller = c.get('caller')
  return caller && !caller.suspended && hasPermission(caller, ['read']) ? caller : null
}

/** The caller of a route that is not public. */
export function requireCaller(c: Ctx): Caller {
  const caller = c.get('caller')
  if (!caller) throw new Error('this route has no access rule')
  return caller
}

/** The session of a route that accepts nothing else. */
export function requireSession(c: Ctx): Extract<Caller, { kind: 'session' }> {
  const caller = requireCaller(c)
  if (caller.kind !== 'session') throw new Error('a route of sessions was called with a key')
  return caller
}

/** Names the platform in the path as one of the calling operator; the statements that use it check that it is. */
export function ownPlatform(c: Ctx): OwnPlatform {
  const { operator_id, tier } = requireCaller(c)
  return { slug: c.req.param('slug') ?? '', operator_id, tier }
}
