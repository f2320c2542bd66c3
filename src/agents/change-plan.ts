import type { AuditAction } from '../audit/actions.ts'
import type { agents } from '../db/schema.ts'
import { isSameJson, withoutUndefined } from '../lib/json.ts'
import { move, type Placement, type Rejection, type Target, toColumns } from '../members/membership.ts'
import type { AgentChanges } from './schema.ts'

type Agent = typeof agents.$inferSelect
type Texts = Pick<Agent, 'name' | 'description' | 'specializations' | 'homepage_url' | 'card_url'>

/** An agent as it was read, to decide a change from. */
export type Changeable = Pick<Agent, 'operator_id'> & {
  agent: Texts & Pick<Agent, 'status'>
  placement: Placement
}

/** What a change writes; without `set` there is nothing to write. */
export interface ChangePlan {
  set: Partial<Omit<Agent, 'id'>> | null
  placement: Placement
  /** The texts and links that were given. */
  texts: Partial<Texts>
  /** Those that change. */
  changed: (keyof Texts)[]
  /** Whether it counts toward the changes that the tier allows per agent and UTC day. */
  counts: boolean
  deactivates: boolean
  /** Whether it is not on its platform any more. */
  leaves: boolean
  /** Whether it is on another platform from now on. */
  joins: boolean
  /** The platform that must accept the agent, now or after the notice. */
  target_id: string | null
  actions: AuditAction[]
}

interface ChangeRefusal {
  rejection: Rejection | 'unknown_platform'
  removed_at: string | null
}

/**
 * Decides a change of an agent by its operator. Values that are already set change nothing and count for nothing.
 *
 * @param target the platform that `changes.platform_slug` names; null if it names none, or an unknown one
 */
export function planChange(
  found: Changeable,
  changes: AgentChanges,
  target: Target | null,
  now: Date,
): ChangePlan | ChangeRefusal {
  const { platform_slug, status, ...given } = changes
  const texts = withoutUndefined(given)
  if (platform_slug && !target) return { rejection: 'unknown_platform', removed_at: null }
  const placement =
    platform_slug === undefined
      ? found.placement
      : move({ ...found, status: found.agent.status }, target, now)
  if (typeof placement === 'string') return { rejection: placement, removed_at: target?.removed_at ?? null }

  const changed = keysOf(texts).filter((name) => !isSameJson(texts[name], found.agent[name]))
  const [before, after] = [found.placement.platform?.id ?? null, placement.platform?.id ?? null]
  const moves = !isSameJson(placed(placement), placed(found.placement))
  const deactivates = status === 'deactivated' && found.agent.status === 'active'
  const counts = changed.length > 0 || moves

  return {
    set:
      counts || deactivates
        ? {
            ...Object.fromEntries(changed.map((name) => [name, texts[name]])),
            ...(changed.includes('name') && { name_changed_at: now.toISOString() }),
            ...(moves && toColumns(placement)),
            ...(deactivates && { status: 'deactivated' as const }),
          }
        : null,
    placement,
    texts,
    changed,
    counts,
    deactivates,
    leaves: before !== null && before !== after,
    joins: after !== null && before !== after,
    target_id: moves && target && target.id !== before ? target.id : null,
    actions: [
      ...(deactivates ? (['agent.deactivated'] as const) : []),
      ...(moves ? (['agent.platform_changed'] as const) : []),
    ],
  }
}

const placed = ({ platform, leaves_at, next }: Placement) => [
  platform?.id ?? null,
  leaves_at,
  next?.id ?? null,
]

function keysOf(texts: Partial<Texts>): (keyof Texts)[] {
  return Object.keys(texts) as (keyof Texts)[] // the schema drops other keys
}
