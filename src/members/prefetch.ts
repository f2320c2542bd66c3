import type { Ctx } from '../http/context.ts'
import { isAgentNumber } from '../lib/agent-number.ts'
import { type FoundChangeable, findChangeable } from './found-store.ts'

/** Prefetches the agent in the path, to decide a change from. */
export async function readChangeable(c: Ctx): Promise<FoundChangeable | null> {
  const reg = c.req.param('reg') ?? ''
  return isAgentNumber(reg) ? findChangeable(c.get('db'), reg, c.get('now')()) : null
}
