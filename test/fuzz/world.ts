import { setTimeout as pause } from 'node:timers/promises'
import { ALLOWANCES, type Allowance } from '../../src/allowances/store.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { credentialsKeys } from '../support/credentials.ts'
import type { ApiDocument, Route } from '../support/document.ts'
import { type Body, freshSlug, type Harness, type Operator } from '../support/harness.ts'
import { eachOf } from '../support/load/clients.ts'
import { giveAllowances } from '../support/quotas.ts'
import { askRedis } from '../support/redis.ts'
import { ownedPath, ownedSample } from '../support/rightful.ts'

const SESSIONS = 8
const AT_ONCE = 8
const REJECTED_MS = 2_100 // for which the Worker remembers that a credential was revoked
const HIGHEST_LIMIT = QUOTAS.enterprise.key_requests_per_minute
const ALL = ['read', 'write', 'activity:report']

const ROLES = [
  'session',
  'stranger',
  'leaver',
  'key_all',
  'key_read',
  'key_write',
  'key_report',
  'stranger_key',
  'platform_key',
  'revoked_key',
  'expired_key',
  'ended_session',
  'suspended_session',
  'suspended_key',
] as const
export type Role = (typeof ROLES)[number]

/** The tokens of each kind of caller. */
type Cast = Record<Role, string[]>

export interface Target {
  path: string
  sample: Body
}

export interface World {
  cast: Cast
  /** CREDENTIALS_KEY of the stack. */
  keys: readonly string[]
  /** A valid path and body for a route, of the fuzzer's operator or of the stranger. */
  targetOf(route: Route, isForeign: boolean): Target
  /** Restores credentials that requests have ended, and resets the rate limits. */
  revive(): Promise<void>
  /** Creates new objects for paths to name. */
  renew(): Promise<void>
}

/** Creates two operators with everything that a path can name, and callers of every kind. */
export async function makeWorld(h: Harness, document: ApiDocument): Promise<World> {
  const [me, stranger, suspended, leaver] = await Promise.all([
    h.newOperator({ tier: 'enterprise' }),
    h.newOperator({ tier: 'enterprise' }),
    h.newOperator({ tier: 'enterprise' }),
    h.newOperator(),
  ])
  for (const one of [me, stranger, suspended, leaver])
    await giveAllowances(h, one, Object.keys(ALLOWANCES) as Allowance[])
  const newSession = async ({ email }: Operator) => (await h.newOperator({ email })).token
  const sessions = (owner: Operator) => Promise.all(Array.from({ length: SESSIONS }, () => newSession(owner)))
  const key = async (owner: Operator, permissions: string[]) =>
    (await h.newKey(owner, permissions)).key as string
  const [platform, ended] = await Promise.all([
    h.newPlatform(me, { webhook_url: 'http://127.0.0.1:9/closed' }),
    newSession(me),
  ])
  const cast: Cast = {
    session: await sessions(me),
    stranger: await sessions(stranger),
    leaver: [leaver.token],
    key_all: [await key(me, ALL)],
    key_read: [await key(me, ['read'])],
    key_write: [await key(me, ['write'])],
    key_report: [await key(me, ['activity:report'])],
    stranger_key: [await key(stranger, ALL)],
    platform_key: [(await h.newPlatformKey(me, platform.slug)).key],
    revoked_key: [await key(me, ALL)],
    expired_key: [await key(me, ALL)],
    ended_session: [ended],
    suspended_session: [suspended.token],
    suspended_key: [await key(suspended, ALL)],
  }
  await h.api('DELETE', '/auth/session', { token: ended })
  const prefix = ([token = '']: string[]) => token.slice(0, 17)
  await h.sql('update api_keys set expires_at = created_at where key_prefix = $1', [prefix(cast.expired_key)])
  await h.suspend(suspended)

  const live = [...cast.session, ...cast.stranger, ...cast.leaver, suspended.token].map((token) =>
    token.slice(9, 17),
  )
  const keys = [
    cast.key_all,
    cast.key_read,
    cast.key_write,
    cast.key_report,
    cast.stranger_key,
    cast.platform_key,
  ].map(prefix)
  let targets = new Map<string, Target>()

  async function revive(): Promise<void> {
    const ended = await h.sql('select from sessions where id = any ($1::text[]) and ended_at is not null', [
      live,
    ])
    const revoked = await h.sql(
      'select from api_keys where key_prefix = any ($1::text[]) and key_prefix <> $2 and revoked_at is not null',
      [keys, prefix(cast.revoked_key)],
    )
    await h.sql(
      "update sessions set ended_at = null, expires_at = now() + interval '30 days' where id = any ($1::text[])",
      [live],
    )
    await h.sql(
      'update api_keys set revoked_at = null, rate_limit_per_minute = $2 where key_prefix = any ($1::text[])',
      [keys, HIGHEST_LIMIT],
    )
    if (ended.length + revoked.length > 0) await pause(REJECTED_MS)
    await h.sql('update api_keys set revoked_at = created_at where key_prefix = $1', [
      prefix(cast.revoked_key),
    ])
    await flushLimits(h)
  }

  async function renew(): Promise<void> {
    await revive()
    const owners = [
      ['own', me, cast.session],
      ['foreign', stranger, cast.stranger],
    ] as const
    const wanted = [...document.routes.entries()].flatMap(([n, route]) =>
      owners.map(([whose, owner, tokens]) => {
        const acting = { ...owner, token: tokens[n % tokens.length] ?? '' }
        return { name: `${whose} ${route.name}`, route, acting }
      }),
    )
    targets = new Map(
      await eachOf(wanted, AT_ONCE, async ({ name, route, acting }) => {
        const path = await ownedPath(h, route, acting)
        const sample = route.body ? await ownedSample(h, document, route.body, acting, path) : null
        return [name, { path, sample }] as const
      }),
    )
  }
  await renew()
  await h.cron() // signs a log to read
  return {
    cast,
    keys: await credentialsKeys(h.dir),
    revive,
    renew,
    targetOf(route, isForeign) {
      const target = targets.get(`${isForeign ? 'foreign' : 'own'} ${route.name}`)
      if (!target) throw new Error(`no target of ${route.name}`)
      return {
        path: target.path,
        sample: target.sample?.slug ? { ...target.sample, slug: freshSlug() } : target.sample,
      }
    },
  }
}

/** Resets the rate limits, so that requests are not rejected by them. */
export const flushLimits = (h: Harness) => askRedis(h, 'FLUSHDB')
