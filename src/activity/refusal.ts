import type { ErrorCode } from '../errors.ts'
import { checkMatches } from '../lib/agent-number.ts'

/** Why the database has not stored a valid event. */
export type RefusedOutcome = 'unknown_agent' | 'foreign_agent' | 'deactivated'

export interface Refusal {
  code: ErrorCode
  message: string
}

/** Why an event was not stored, as an error. */
export function refusalOf(outcome: RefusedOutcome, reg: string): Refusal {
  switch (outcome) {
    case 'unknown_agent':
      return {
        code: 'NOT_FOUND',
        message: `there is no agent ${reg}${checkMatches(reg) ? '' : ': the check character does not match'}`,
      }
    case 'foreign_agent':
      return { code: 'FORBIDDEN', message: `agent ${reg} is neither yours nor on your platform` }
    case 'deactivated':
      return { code: 'AGENT_DEACTIVATED', message: `agent ${reg} is deactivated and takes no more events` }
  }
}
