import type { Ctx } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { type FoundChangeable, findChangeable } from './found-store.ts'

/** Prefetches the agent in the path, to decide a change from. */
export async function readChangeable(c: Ctx): Promise<FoundChangeable | null> {
  const reg = c.req.param('reg') ?? ''
  if (!REG_PATTERN.test(reg) || !checkMatches(reg)) return null
  return findChangeable(c.get('db'), reg, c.get('now')())
}
