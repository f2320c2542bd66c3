import { defaultName } from '../../auth/name.ts'
import type { Ctx } from '../../http/context.ts'
import { putCookie, readCookie } from '../../http/cookie.ts'
import type { Overview } from './store.ts'

const COOKIE = { name: 'reg_skipped', path: '/console' } as const
const SKIPPED_SECONDS = 365 * 24 * 60 * 60

export const STEPS = ['name', 'agent', 'domain', 'key', 'report', 'platform'] as const
type StepName = (typeof STEPS)[number]

export interface Step {
  name: StepName
  isDone: boolean
  isSkipped: boolean
}

/**
 * The steps to a first report by a platform, in order; the operator's data determine which are done.
 *
 * @returns empty once a platform has reported, or if no step remains
 */
export function firstSteps({ operator, sums, facts }: Overview, skipped: ReadonlySet<string>): Step[] {
  if (facts.has_platform_report) return []
  const isDone: Record<StepName, boolean> = {
    name: operator.name !== defaultName(operator.id),
    agent: sums.agent_count > 0,
    domain: facts.has_domain,
    key: sums.active_api_keys > 0,
    report: facts.has_report,
    platform: false,
  }
  const steps = STEPS.map((name) => ({ name, isDone: isDone[name], isSkipped: skipped.has(name) }))
  return steps.some((step) => !step.isDone && !step.isSkipped) ? steps : []
}

export function skippedIn(c: Ctx): Set<string> {
  return new Set(readCookie(c, COOKIE).split('.'))
}

/** Skips a step in this browser for a year. */
export function skip(c: Ctx, step: string): void {
  const steps = new Set([...skippedIn(c), step])
  const known = STEPS.filter((name) => steps.has(name))
  putCookie(c, COOKIE, known.join('.'), SKIPPED_SECONDS)
}
