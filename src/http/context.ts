import type { Context } from 'hono'
import type { Db } from '../db/client.ts'
import type { Permission, Tier } from '../db/enums.ts'
import type { Env } from '../env.ts'
import type { RateLimit } from './limits.ts'

/** On whose behalf a request acts. */
export interface Actor {
  operator_id: string
  /** The platform whose own key it is; then `operator_id` is who registered the platform. */
  platform_id: string | null
  /** That of the operator, whose quotas hold. */
  tier: Tier
}

/** Who makes an authenticated request, as the credential's row tells. */
export type Caller = Actor &
  (
    | { kind: 'session'; session_id: string }
    | { kind: 'key'; key_id: string; permissions: readonly Permission[] }
  )

export interface Variables {
  env: Env
  request_id: string
  /** The request's time: every row it writes carries it. */
  now: () => Date
  /** Fires when the request's five seconds are over; every network step is given up then. */
  signal: AbortSignal
  db: Db
  /** What the limiter said, or will say: counting runs in parallel with the work. */
  rateLimit: Promise<RateLimit> | undefined
  /** Undefined on public calls. */
  caller: Caller | undefined
  /** Whether the request carries an Idempotency-Key that its route takes. */
  repeatable: boolean | undefined
  /** What the route's `prefetch` has read. */
  prefetched: unknown
  /** Work that goes on after the response. */
  waitUntil: (work: Promise<unknown>) => void
}

export type App = { Bindings: Record<string, unknown>; Variables: Variables }
export type Ctx = Context<App>
