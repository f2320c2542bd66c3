import type { ShownPlatformState } from '../db/enums.ts'
import { DAY_MS } from '../lib/time.ts'

/** How long an agent stays after it was asked to leave: else one would leave ahead of a bad report. */
const NOTICE_MS = 7 * DAY_MS

/** How long an agent cannot claim a platform that has removed it. */
const REMOVAL_MS = 30 * DAY_MS

/** An agent's platform, as its operator sees it; all null without one. */
export interface Membership {
  platform_name: string | null
  platform_slug: string | null
  platform_state: ShownPlatformState | null
  platform_leaves_at: string | null
  next_platform_slug: string | null
}

/** When an agent that is asked to leave now has left. */
export function leavesAt(now: Date): Date {
  return new Date(now.getTime() + NOTICE_MS)
}

/** Until when an agent that was removed at a time cannot come back. */
export function barredUntil(removedAt: Date): Date {
  return new Date(removedAt.getTime() + REMOVAL_MS)
}

/** The latest removal that bars an agent no more. */
export function barredBefore(now: Date): Date {
  return new Date(now.getTime() - REMOVAL_MS)
}

/** Why a platform does not take an agent. */
export const REJECTIONS = ['unknown_platform', 'deactivated', 'retired', 'suspended', 'removed'] as const

export type Rejection = (typeof REJECTIONS)[number]

/**
 * What an operator reads whose agent a platform does not accept, as the end of a sentence that names it.
 *
 * @param until when a removal is over
 */
export function rejectionText(slug: string, rejection: Rejection, until: string | null): string {
  switch (rejection) {
    case 'unknown_platform':
      return `there is no platform '${slug}'`
    case 'deactivated':
      return 'a deactivated agent cannot join a platform'
    case 'retired':
      return `platform '${slug}' is retired`
    case 'suspended':
      return `platform '${slug}' does not accept agents at the moment`
    case 'removed':
      return `platform '${slug}' removed this agent, which can join it again from ${until}`
  }
}
