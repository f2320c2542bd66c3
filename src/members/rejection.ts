import { ApiError, type ErrorCode } from '../errors.ts'
import { barredUntil, type Rejection, rejectionText } from './membership.ts'

const REJECTION_CODE = {
  unknown_platform: 'NOT_FOUND',
  deactivated: 'AGENT_DEACTIVATED',
  retired: 'CONFLICT',
  suspended: 'CONFLICT',
  removed: 'CONFLICT',
} as const satisfies Record<Rejection, ErrorCode>

/**
 * The error for an agent that cannot join a platform.
 *
 * @param removedAt when the platform removed the agent; null if it did not
 */
export function platformRejection(
  slug: string,
  rejection: Rejection,
  removedAt: string | null = null,
): ApiError {
  const until = removedAt && barredUntil(new Date(removedAt)).toISOString()
  return new ApiError(REJECTION_CODE[rejection], [['platform_slug', rejectionText(slug, rejection, until)]])
}
