import type { Stretch } from './rollups.ts'

/** What days that are alike have in common. */
export type Days = Partial<Stretch>

/** Days of one source, all of the window unless said. */
export function reported(source: Stretch['source'], days: Days): Stretch {
  return { source, from: 0, to: 89, ...days }
}

/** Days of so many tasks, all done at once and as well as can be. */
export function perfect(tasks: number, days = 90, from = 0): Days {
  return { from, to: from + days - 1, tasks, quality: 1, satisfied: 1 }
}

/** 90 days of 20 good tasks for an established platform, the newest of an age. */
export function honest(from: number): Stretch {
  return reported('independent', { from, to: from + 89, tasks: 20, quality: 0.98, satisfied: 0.9 })
}

/** What an agent does to those who have come to trust it: 9 of 20 tasks, at a tenth of the quality. */
export function betrayal(days: number): Stretch {
  return { ...honest(0), to: days - 1, completed: 9, quality: 0.1, warning: 1 }
}

/** What a platform of a second account, or of a friend, says. */
export const SIXTY_DAYS = perfect(30, 60)

/** A platform and three operators: it attests their work, is established, and attests more. */
export const RING = [reported('peer', perfect(30, 12, 12)), reported('independent', perfect(30, 12))] as const
