import type { ShownPlatformState } from '../db/enums.ts'
import { DAY_MS } from '../lib/time.ts'

/** The notice: without it, an agent could leave before a bad report arrives. */
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

/** When an agent leaves if the notice starts now. */
export function leavesAt(now: Date): Date {
  return new Date(now.getTime() + NOTICE_MS)
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
export const REJECTIONS = ['unknown_platform', 'deactivated', 'retired', 'suspended', 'removed'] as const

export type Rejection = (typeof REJECTIONS)[number]

/**
 * A rejection in words for the operator of the agent, as the end of a sentence that names the agent.
 *
 * @param until when a removed agent can join again
 */
export function rejectionText(slug: string, rejection: Rejection, until: string | null): string {
  switch (rejection) {
    case 'unknown_platform':
      return `there is no platform '${slug}'`
    case 'deactivated':
      return 'a deactivated agent cannot join a platform'
    case 'retired':
      return `platform '${slug}' is retired permanently: choose another`
    case 'suspended':
      return `platform '${slug}' does not accept agents at the moment: choose another, or try again later`
    case 'removed':
      return `platform '${slug}' removed this agent: it can join again from ${until}`
  }
}
