import type { AgentStatus, OperatorStatus, PlatformState, ShownPlatformState } from '../db/enums.ts'
import type { platforms } from '../db/schema.ts'
import { DAY_MS } from '../lib/time.ts'

/** The notice of an established platform: nobody slips away from the reports that weigh most. */
const NOTICE_MS = 7 * DAY_MS

/** How long an agent cannot join a platform that removed it. */
const REMOVAL_MS = 30 * DAY_MS

/** The membership of an agent, as its operator sees it; all null without a platform. */
export interface Membership {
  platform_name: string | null
  platform_slug: string | null
  platform_state: ShownPlatformState | null
  platform_leaves_at: string | null
  next_platform_slug: string | null
}

/** A platform as memberships refer to it. */
type Platform = Pick<
  typeof platforms.$inferSelect,
  'id' | 'operator_id' | 'slug' | 'name' | 'status' | 'established_at'
>

/** Where an agent is, and where it will be after its notice. */
export interface Placement {
  platform: Platform | null
  state: PlatformState | null
  since: string | null
  leaves_at: string | null
  next: Target | null
}

/** A platform that an agent is to join. */
export interface Target extends Platform {
  operator_status: OperatorStatus
  /** When it removed the agent, if the agent cannot join it again yet. */
  removed_at: string | null
}

const NOWHERE: Placement = { platform: null, state: null, since: null, leaves_at: null, next: null }

/** The placement of an agent that joins a platform now: `confirmed` on a platform of its own operator. */
export function join(operatorId: string, target: Target | null, now: Date): Placement {
  if (!target) return NOWHERE
  const state = target.operator_id === operatorId ? 'confirmed' : 'claimed'
  return { ...NOWHERE, platform: target, state, since: now.toISOString() }
}

/** Why a platform accepts no agents; null if it does. */
export function whyClosed(target: Target): Rejection | null {
  if (target.status === 'retired') return 'retired'
  return target.operator_status === 'active' ? null : 'suspended'
}

/** Why a platform does not let an agent join; null if it does. */
function rejectionBy(target: Target, status: AgentStatus): Rejection | null {
  if (status !== 'active') return 'deactivated'
  return target.removed_at ? 'removed' : whyClosed(target)
}

/** Where an agent is after it has left its platform: on the one that it named as its next, unless that rejects it. */
export interface Departure {
  placement: Placement
  rejection: Rejection | null
}

/** Lets an agent leave its platform now. */
export function depart(
  agent: { operator_id: string; status: AgentStatus; next: Target | null },
  now: Date,
): Departure {
  const { operator_id, status, next } = agent
  const rejection = next && rejectionBy(next, status)
  return { placement: rejection ? NOWHERE : join(operator_id, next, now), rejection }
}

/**
 * Moves an agent to another platform, or lets it leave its platform: after the notice if that is established and not
 * retired, else immediately, as anybody can found a platform and report badly from it. Changing the target does not
 * restart the notice; naming the current platform cancels the move.
 *
 * @param target null to leave
 * @returns where the agent is then, or why the platform rejects it
 */
export function move(
  agent: { operator_id: string; status: AgentStatus; placement: Placement },
  target: Target | null,
  now: Date,
): Placement | Rejection {
  const { placement } = agent
  if ((target?.id ?? null) === (placement.platform?.id ?? null)) {
    return { ...placement, leaves_at: null, next: null }
  }
  const rejection = target && rejectionBy(target, agent.status)
  if (rejection) return rejection
  const hasNotice = placement.platform?.established_at && placement.platform.status === 'active'
  if (!hasNotice) return join(agent.operator_id, target, now)
  const leaves_at = placement.leaves_at ?? new Date(now.getTime() + NOTICE_MS).toISOString()
  return { ...placement, leaves_at, next: target }
}

/** The columns of a placement. */
export function toColumns({ platform, state, since, leaves_at, next }: Placement) {
  return {
    platform_id: platform?.id ?? null,
    platform_state: state,
    platform_since: since,
    platform_leaves_at: leaves_at,
    next_platform_id: next?.id ?? null,
  }
}

/** A placement as the operator of the agent sees it. */
export function toMembership({ platform, state, leaves_at, next }: Placement): Membership {
  return {
    platform_name: platform?.name ?? null,
    platform_slug: platform?.slug ?? null,
    platform_state: platform?.status === 'retired' ? 'retired' : state,
    platform_leaves_at: leaves_at,
    next_platform_slug: next?.slug ?? null,
  }
}

/** When an agent that was removed at `removedAt` can join again. */
export function barredUntil(removedAt: Date): Date {
  return new Date(removedAt.getTime() + REMOVAL_MS)
}

/** Removals up to this time no longer prevent agents from joining. */
export function barredBefore(now: Date): Date {
  return new Date(now.getTime() - REMOVAL_MS)
}

/** Why an agent cannot join a platform. */
export type Rejection = 'deactivated' | 'retired' | 'suspended' | 'removed'
