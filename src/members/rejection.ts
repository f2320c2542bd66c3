import { ApiError, type ErrorCode } from '../errors.ts'
import { barredUntil } from './membership.ts'

/** The code of each rejection, and its words for the operator of the agent; `until` is when a removed agent can join again. */
const REJECTIONS = {
  unknown_platform: ['NOT_FOUND', (slug) => `there is no platform '${slug}'`],
  deactivated: ['AGENT_DEACTIVATED', () => 'a deactivated agent cannot join a platform'],
  retired: ['CONFLICT', (slug) => `platform '${slug}' is retired permanently: choose another`],
  suspended: [
    'CONFLICT',
    (slug) => `platform '${slug}' does not accept agents at the moment: choose another, or try again later`,
  ],
  removed: [
    'CONFLICT',
    (slug, until) => `platform '${slug}' removed this agent: it can join again from ${until}`,
  ],
} as const satisfies Record<string, readonly [ErrorCode, (slug: string, until: string | null) => string]>

/**
 * The error for an agent that cannot join a platform.
 *
 * @param removedAt when the platform removed the agent; null if it did not
 */
export function platformRejection(
  slug: string,
  rejection: keyof typeof REJECTIONS,
  removedAt: string | null = null,
): ApiError {
  const until = removedAt && barredUntil(new Date(removedAt)).toISOString()
  const [code, text] = REJECTIONS[rejection]
  return new ApiError(code, [['platform_slug', text(slug, until)]])
}
