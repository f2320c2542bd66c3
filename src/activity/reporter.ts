import type { Actor } from '../http/context.ts'
import type { ActivityEvent } from './answers.ts'

/** What the log says of who has reported: a platform by its own key, else the operator. */
export function reporterOf({ platform_id }: Actor): ActivityEvent['reported_by'] {
  return platform_id ? 'platform' : 'operator'
}
