import type { AuditAction } from '../audit/actions.ts'
import type { agents } from '../db/schema.ts'
import { QUOTAS } from '../db/tiers.ts'
import type { Actor } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { move, type Placement, type Rejection, type Target, toColumns } from './membership.ts'
import type { AgentChanges } from './schema.ts'

type Agent = typeof agents.$inferSelect
type Texts = Pick<Agent, 'name' | 'description' | 'specializations' | 'homepage_url' | 'card_url'>

/** An agent as it was read, to decide a change from. */
export type Changeable = Pick<Agent, 'operator_id' | 'changed_day' | 'changes'> & {
  agent: Texts & Pick<Agent, 'status'>
  placement: Placement
}

/** What a change writes; without `set` there is nothing to write. */
export interface ChangePlan {
  set: Partial<Omit<Agent, 'id'>> | null
  placement: Placement
  /** The texts and links that change. */
  changed: (keyof Texts)[]
  deactivates: boolean
  /** Whether it is on another platform from now on. */
  joins: boolean
  /** The platform that must accept the agent, now or after the notice. */
  target_id: string | null
  actions: AuditAction[]
}

export type ChangeRefusal =
  | { rejection: Rejection; removed_at: string | null }
  /** The changes that the tier allows per agent and UTC day. */
  | { quota: number }

/**
 * Decides a change of an agent by its operator. Values that are already set change nothing and count for nothing. A
 * deactivation frees a place in the quota of active agents and is never refused.
 *
 * @param target the platform that `changes.platform_slug` names; null if it names none, or an unknown one
 */
export function planChange(
  found: Changeable,
  changes: AgentChanges,
  target: Target | null,
  { tier }: Pick<Actor, 'tier'>,
  now: Date,
): ChangePlan | ChangeRefusal {
  const { platform_slug, status, ...texts } = changes
  if (platform_slug && !target) return { rejection: 'unknown_platform', removed_at: null }
  const placement =
    platform_slug === undefined
      ? found.placement
      : move({ ...found, status: found.agent.status }, target, now)
  if (typeof placement === 'string') return { rejection: placement, removed_at: target?.removed_at ?? null }

  const changed = keysOf(texts).filter((name) => !isSame(texts[name] ?? null, found.agent[name]))
  const moves = !isSame(placed(placement), placed(found.placement))
  const deactivates = status !== undefined && found.agent.status === 'active'
  const counts = changed.length > 0 || moves
  const today = utcDay(now)
  const changesToday = found.changed_day === today ? found.changes : 0
  const quota = QUOTAS[tier].changes_per_day
  if (counts && !deactivates && changesToday >= quota) return { quota }

  return {
    set:
      counts || deactivates
        ? {
            ...Object.fromEntries(changed.map((name) => [name, texts[name] ?? null])),
            ...(changed.includes('name') && { name_changed_at: now.toISOString() }),
            ...(moves && toColumns(placement)),
            ...(counts && { changed_day: today, changes: changesToday + 1 }),
            ...(deactivates && { status: 'deactivated' as const }),
          }
        : null,
    placement,
    changed,
    deactivates,
    joins: placement.platform !== null && placement.platform.id !== found.placement.platform?.id,
    target_id: moves && target && target.id !== found.placement.platform?.id ? target.id : null,
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

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function keysOf(texts: Omit<AgentChanges, 'platform_slug' | 'status'>): (keyof Texts)[] {
  const given = Object.entries(texts).filter(([, value]) => value !== undefined)
  return given.map(([name]) => name as keyof Texts) // the keys of a strict object
}
