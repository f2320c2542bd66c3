import type { Notice } from '../notifications/store.ts'
import { barredUntil, type Departure, type Placement } from './membership.ts'

interface Member {
  operator_id: string
  agent: { reg: string; name: string }
  placement: Placement
}

/** Tells the operator of an agent that a platform removed it. */
export function removalNotice(
  { operator_id, agent }: Member,
  slug: string,
  { placement }: Departure,
  now: Date,
): Notice {
  const until = barredUntil(now).toISOString().slice(0, 16).replace('T', ' ')
  const joined = placement.platform ? ` It joined ${placement.platform.slug}, as you requested.` : ''
  return {
    operator_id,
    type: 'platform_membership',
    reg: agent.reg,
    title: `${agent.name} was removed from ${slug}`,
    body: `The platform ended the membership. The agent cannot join ${slug} again before ${until} UTC.${joined}`,
  }
}

/** Tells the operator of an agent that the next platform rejected it; null if it did not, or the agent was deactivated. */
export function rejectionNotice(
  { operator_id, agent, placement }: Member,
  { rejection }: Departure,
): Notice | null {
  if (!rejection || rejection === 'deactivated' || !placement.next) return null
  const { slug } = placement.next
  const why = {
    retired: 'is retired',
    removed: 'removed it within the last 30 days',
    suspended: 'does not accept agents at the moment',
  }[rejection]
  return {
    operator_id,
    type: 'platform_membership',
    reg: agent.reg,
    title: `${agent.name} could not join ${slug}`,
    body: `It left its platform, as you requested, and is now on none: ${slug} ${why}.`,
  }
}
