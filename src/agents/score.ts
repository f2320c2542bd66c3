import type { Ctx } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { utcDay } from '../lib/time.ts'
import { findBasis } from '../trust/store.ts'
import { NO_SCORE, type ShownScore, shownScore } from './profile.ts'

/** Prefetches the score of the agent in the path, which the webhook events contain. */
export async function findScore(c: Ctx): Promise<ShownScore> {
  const reg = c.req.param('reg') ?? ''
  const basis =
    REG_PATTERN.test(reg) && checkMatches(reg)
      ? await findBasis(c.get('db'), reg, utcDay(c.get('now')()))
      : null
  return basis ? shownScore(basis) : NO_SCORE
}
