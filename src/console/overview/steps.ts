import { defaultName } from '../../auth/name.ts'
import type { Overview } from './store.ts'

/** A step of the checklist for new operators. */
export interface Step {
  name: 'name' | 'agent' | 'domain' | 'key' | 'report'
  isDone: boolean
}

/** The steps to a first score, in order; the operator's data determine which are done. */
export function firstSteps({ operator, sums, facts }: Overview): Step[] {
  return [
    { name: 'name', isDone: operator.name !== defaultName(operator.id) },
    { name: 'agent', isDone: sums.agent_count > 0 },
    { name: 'domain', isDone: facts.has_domain },
    { name: 'key', isDone: sums.active_api_keys > 0 },
    { name: 'report', isDone: facts.has_report },
  ]
}
