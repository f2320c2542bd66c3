import type { Tier } from '../db/enums.ts'
import { ApiError } from '../errors.ts'

/** Identifies a platform by its slug, and by the operator that must own it. */
export interface OwnPlatform {
  slug: string
  operator_id: string
  /** The tier of the operator, whose quotas apply. */
  tier: Tier
}

/** The error for a slug that is unknown or belongs to another operator; it does not reveal which. */
export function ownPlatformNotFound(slug: string): ApiError {
  return new ApiError('NOT_FOUND', `you have no platform '${slug}'`)
}

/** The error for a retired platform. */
export function platformRetired(slug: string): ApiError {
  return new ApiError('CONFLICT', `platform '${slug}' is retired permanently and can no longer be changed`)
}
