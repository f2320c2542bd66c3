import { ApiError, type ErrorCode } from '../errors.ts'
import { barredUntil, type Refusal, refusalText } from './membership.ts'

const REFUSAL_CODE = {
  unknown_platform: 'NOT_FOUND',
  deactivated: 'AGENT_DEACTIVATED',
  retired: 'CONFLICT',
  suspended: 'CONFLICT',
  removed: 'CONFLICT',
} as const satisfies Record<Refusal, ErrorCode>

/**
 * Why a platform does not take an agent, as an error.
 *
 * @param removedAt when the platform has removed it; null when it has not
 */
export function platformRefusal(slug: string, refusal: Refusal, removedAt: string | null): ApiError {
  const until = removedAt && barredUntil(new Date(removedAt)).toISOString()
  return new ApiError(REFUSAL_CODE[refusal], `platform_slug: ${refusalText(slug, refusal, until)}`)
}
