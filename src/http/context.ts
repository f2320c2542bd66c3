import type { Context } from 'hono'
import type { Db } from '../db/client.ts'
import type { Permission, Tier } from '../db/enums.ts'
import type { Env } from '../env.ts'
import type { RateLimit } from './limits.ts'

/** The operator or platform on whose behalf a request acts. */
export interface Actor {
  /** For a platform key, the operator that registered the platform. */
  operator_id: string
  /** Null unless the credential is a platform key. */
  platform_id: string | null
  /** The tier of the operator, whose quotas apply. */
  tier: Tier
}

/** What each page of the console shows of the operator. */
export interface Account {
  name: string
  /** The number of unread notifications, up to `UNREAD_MAX`. */
  unread: number
}

/** The caller of an authenticated request, as its credential is stored. */
export type Caller = Actor &
  (
    | { kind: 'session'; session_id: string; account?: Account }
    | { kind: 'key'; key_id: string; permissions: readonly Permission[] }
  ) & {
    /** Whether its operator is suspended: then it only has the public view. */
    suspended: boolean
  }

interface Variables {
  env: Env
  request_id: string
  /** The time of the request, which is also stored in the rows that it writes. */
  now: () => Date
  /** Aborts all network steps of the request after `REQUEST_DEADLINE_MS`, five seconds by default. */
  signal: AbortSignal
  db: Db
  /** The rate limit of the request; a promise, because it is counted in parallel with the work. */
  rateLimit: Promise<RateLimit> | undefined
  /** Undefined for public requests. */
  caller: Caller | undefined
  /** Whether the request has an Idempotency-Key and its route supports that. */
  repeatable: boolean | undefined
  /** The result of the route's `prefetch`. */
  prefetched: unknown
  /** Lets work continue after the response. */
  waitUntil: (work: Promise<unknown>) => void
}

export type App = { Bindings: Record<string, unknown>; Variables: Variables }
export type Ctx = Context<App>
