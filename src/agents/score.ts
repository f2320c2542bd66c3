import type { Ctx } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { utcDay } from '../lib/time.ts'
import { findBasis } from '../trust/store.ts'
import { overallOf } from './profile.ts'

/** Prefetches the overall score of the agent in the path, which the webhook events contain. */
export async function findScore(c: Ctx): Promise<string | null> {
  const reg = c.req.param('reg') ?? ''
  const basis =
    REG_PATTERN.test(reg) && checkMatches(reg)
      ? await findBasis(c.get('db'), reg, utcDay(c.get('now')()))
      : null
  return basis && overallOf(basis)
}
