import { ApiError } from '../errors.ts'

/** A platform, as the operator names it who has registered it. */
export interface OwnPlatform {
  slug: string
  operator_id: string
}

/** The error for a slug that is no platform, or another operator's: which of the two is not said. */
export function ownPlatformNotFound(slug: string): ApiError {
  return new ApiError('NOT_FOUND', `you have no platform '${slug}'`)
}

/** The error for a platform that is retired. */
export function platformRetired(slug: string): ApiError {
  return new ApiError('CONFLICT', `platform '${slug}' is retired`)
}
