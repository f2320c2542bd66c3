import { sql } from 'drizzle-orm'
import type { AGENT_COLUMNS, AGENT_COUNTERS } from '../db/agent-columns.ts'
import type { Db } from '../db/client.ts'
import type { agent_stats, agents, operators } from '../db/schema.ts'
import type { Membership } from '../members/membership.ts'
import type { ScoreBasis } from '../trust/basis.ts'
import { ALGORITHM_VERSION } from '../trust/score.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import type { WithheldField } from '../wire/withheld.ts'

type Agent = typeof agents.$inferSelect
type Stats = typeof agent_stats.$inferSelect
type Operator = typeof operators.$inferSelect

/** What profile and full verification show, with the basis of the score. */
export type FoundAgent = Pick<
  Agent,
  | Exclude<keyof typeof AGENT_COLUMNS, 'texts_withheld_at'>
  | 'name_changed_at'
  | 'ownership_verified_at'
  | 'platform_since'
> &
  Pick<
    Stats,
    keyof typeof AGENT_COUNTERS | 'open_incident_count' | 'last_active_at' | 'response_count' | 'response_ms'
  > & {
    operator_id: Operator['id']
    operator_name: Operator['name']
    operator_name_verified: boolean
    operator_status: Operator['status']
    operator_kyc_status: Operator['kyc_status']
    withheld: WithheldField[] | null
    basis: ScoreBasis
  } & Omit<Membership, 'next_platform_slug'>

type ShownPlatform = Omit<Membership, 'next_platform_slug'> & Pick<Agent, 'platform_since'>

/** The result of the function agent_profile. */
export type Profile = Omit<FoundAgent, keyof ShownPlatform> & {
  platform: (ShownPlatform & { is_withheld: boolean }) | null
}

const NO_PLATFORM: ShownPlatform = {
  platform_name: null,
  platform_slug: null,
  platform_state: null,
  platform_since: null,
  platform_leaves_at: null,
}

/**
 * Finds an agent by its number; null if there is none.
 *
 * @param today the current UTC day `YYYY-MM-DD`
 */
export async function findAgent(db: Db, reg: string, today: string): Promise<FoundAgent | null> {
  const result = await db.execute<{ profile: Profile | null }>(
    sql`select agent_profile(${reg}, ${today}, ${ALGORITHM_VERSION}, ${WINDOW_DAYS}) as profile`,
  )
  const profile = result.rows[0]?.profile
  return profile ? toFound(profile) : null
}

/** The fields of an agent with those of its platform among them. */
export function toFound({ platform, withheld, basis, ...agent }: Profile): FoundAgent {
  if (!platform) return { ...agent, ...NO_PLATFORM, withheld, basis }
  const { is_withheld, ...shown } = platform
  return {
    ...agent,
    ...shown,
    withheld: is_withheld ? [...(withheld ?? []), 'platform_name'] : withheld,
    basis,
  }
}
