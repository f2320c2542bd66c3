import type { Stretch } from './rollups.ts'

/** The common properties of similar days. */
export type Days = Partial<Stretch>

/** Days of one source; by default, all of the window. */
export function reported(source: Stretch['source'], days: Days): Stretch {
  return { source, from: 0, to: 89, ...days }
}

/** Days with a number of tasks, all fast and with full grades. */
export function perfect(tasks: number, days = 90, from = 0): Days {
  return { from, to: from + days - 1, tasks, quality: 1, satisfied: 1 }
}

/** 90 days of 20 good tasks for an established platform, the newest of an age. */
export function honest(from: number): Stretch {
  return reported('independent', { from, to: from + 89, tasks: 20, quality: 0.98, satisfied: 0.9 })
}

/** An agent that abuses its reputation: 9 of 20 tasks completed, at a tenth of the quality. */
export function betrayal(days: number): Stretch {
  return { ...honest(0), to: days - 1, completed: 9, quality: 0.1, warning: 1 }
}

/** An agent that its platform sees fail: 4 of 20 tasks completed, at a fifth of the quality. */
export const FAILING: Days = { tasks: 20, completed: 4, quality: 0.2, satisfied: 0.9 }

/** Reports of a platform of a second account, or of a friend. */
export const SIXTY_DAYS = perfect(30, 60)

/** A platform that attests the work of three operators, becomes established, and then attests more. */
export const RING = [reported('peer', perfect(30, 12, 12)), reported('independent', perfect(30, 12))] as const
