import { createMiddleware } from 'hono/factory'
import { findSession } from '../auth/store.ts'
import { parseToken, type Token } from '../auth/token.ts'
import { ApiError } from '../errors.ts'
import { findKey } from '../keys/store.ts'
import { secretMatches, sha256 } from '../lib/crypto.ts'
import type { App, Caller, Ctx, Permission } from './context.ts'
import { count, countAddress, enforce, type Verdict } from './ratelimit.ts'

/** Who may call a route, and in which limit class the call counts. */
export type Access =
  | { by: 'anyone'; limit: 'public' | 'sign-in' }
  | { by: 'session'; limit: 'session' | 'strict' }
  | { by: 'key'; permissions: readonly [Permission, ...Permission[]] }

/** Counts the call, checks its credential side by side with that, and refuses whoever may not call the route. */
export function authorize(access: Access) {
  return createMiddleware<App>(async function authorize(c, next) {
    if (access.by === 'anyone') admitAnyone(c, access.limit)
    else await admitCaller(c, access)
    if (access.by === 'anyone' && access.limit === 'sign-in') enforce(await requireVerdict(c))
    await next()
  })
}

/** Public reads do their work while Redis counts; only an address that is known to be blocked stops before it. */
function admitAnyone(c: Ctx, limit: 'public' | 'sign-in'): void {
  const verdict = countAddress(c, limit)
  c.set('verdict', Promise.resolve(verdict))
  if (!(verdict instanceof Promise)) enforce(verdict)
}

async function admitCaller(c: Ctx, access: Exclude<Access, { by: 'anyone' }>): Promise<void> {
  const token = presentedToken(c)
  if (!token || token.parsed?.kind !== access.by) {
    c.set('verdict', Promise.resolve(countAddress(c, 'public')))
    throw new ApiError('UNAUTHORIZED', wrongCredential(access.by, token?.parsed ?? null))
  }
  const policy = access.by === 'session' ? access.limit : 'key'
  const [verdict, credential] = await Promise.all([
    count(c, policy, await sha256(token.text)),
    findCredential(c, token.parsed),
  ])
  if (!credential) {
    c.set('verdict', Promise.resolve(countAddress(c, 'public')))
    throw new ApiError('UNAUTHORIZED', wrongCredential(access.by, token.parsed))
  }
  const own: Verdict = { ...verdict, limit: credential.limit ?? verdict.limit }
  c.set('verdict', Promise.resolve(own))
  c.set('caller', credential.caller)
  enforce(own)
  if (credential.suspended) throw new ApiError('FORBIDDEN', 'this operator is suspended')
  if (access.by === 'key') requirePermission(credential.caller, access.permissions)
}

interface Credential {
  caller: Caller
  suspended: boolean
  limit?: number
}

async function findCredential(c: Ctx, token: Token): Promise<Credential | null> {
  const now = c.get('now')()
  const row =
    token.kind === 'session'
      ? await findSession(c.get('db'), token.id, now)
      : await findKey(c.get('db'), token.id, now)
  if (!row || !(await secretMatches(token.secret, row))) return null
  const suspended = row.operator_status === 'suspended'
  if ('permissions' in row) {
    const { operator_id, key_id, permissions, rate_limit_per_minute: limit } = row
    return { caller: { kind: 'key', operator_id, key_id, permissions }, suspended, limit }
  }
  return { caller: { kind: 'session', operator_id: row.operator_id, session_id: row.session_id }, suspended }
}

function presentedToken(c: Ctx): { text: string; parsed: Token | null } | null {
  const text = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
  return text ? { text, parsed: parseToken(text) } : null
}

function wrongCredential(wanted: 'session' | 'key', given: Token | null): string {
  const takes = wanted === 'session' ? 'a session token (reg_sess_…)' : 'an API key (reg_live_…)'
  if (given === null) return `Authorization: this route takes ${takes} as Bearer token`
  if (given.kind !== wanted)
    return `Authorization: this route takes ${takes}, not ${given.kind === 'key' ? 'an API key' : 'a session token'}`
  return `Authorization: this ${wanted === 'session' ? 'session' : 'API key'} is unknown, expired or ended`
}

function requirePermission(caller: Caller, permissions: readonly Permission[]): void {
  if (caller.kind === 'key' && permissions.some((permission) => caller.permissions.includes(permission)))
    return
  throw new ApiError('FORBIDDEN', `this API key lacks the permission ${permissions.join(' or ')}`)
}

async function requireVerdict(c: Ctx): Promise<Verdict> {
  return (await c.get('verdict')) ?? countAddress(c, 'public')
}

/** The caller of a route that is not public. */
export function requireCaller(c: Ctx): Caller {
  const caller = c.get('caller')
  if (!caller) throw new Error('this route has no access rule')
  return caller
}
