import { DAY_MS } from '../lib/time.ts'

/** Days until a challenge expires. */
const CHALLENGE_DAYS = 7
/** Interval between checks of a proof, and the number of misses in a row that ends it. */
const RECHECK_DAYS = 7
export const MISSES_MAX = 3

export const TOKEN_LENGTH = 32 // 190 bits in base62

/** When a challenge created now expires. */
export const challengeEnd = (now: Date) => new Date(now.getTime() + CHALLENGE_DAYS * DAY_MS)

/** Proofs last checked at or before this time are due for a check. */
export const recheckBefore = (now: Date) => new Date(now.getTime() - RECHECK_DAYS * DAY_MS)
