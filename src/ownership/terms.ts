import { DAY_MS } from '../lib/time.ts'

/** How long what was asked for may be published and verified. */
const CHALLENGE_DAYS = 7
/** How often a proof is looked up again, and how often in a row it may be missed. */
const RECHECK_DAYS = 7
export const MISSES_MAX = 3

export const TOKEN_LENGTH = 32 // 190 bits in base62

/** When a challenge of a time ends. */
export const challengeEnd = (now: Date) => new Date(now.getTime() + CHALLENGE_DAYS * DAY_MS)

/** Proofs that were last looked up then, or before, are to be looked up again. */
export const recheckBefore = (now: Date) => new Date(now.getTime() - RECHECK_DAYS * DAY_MS)
