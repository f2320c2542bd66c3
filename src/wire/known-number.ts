import { ApiError } from '../errors.ts'
import { checkMatches } from '../lib/agent-number.ts'

/** The number itself; one with a wrong check character was never given out and is refused without a look. */
export function requireKnownNumber(reg: string): string {
  if (!checkMatches(reg)) {
    throw new ApiError('NOT_FOUND', `there is no agent ${reg}: the check character does not match`)
  }
  return reg
}

/** The refusal of a number that no agent has. */
export function agentNotFound(reg: string): ApiError {
  return new ApiError('NOT_FOUND', `there is no agent ${reg}`)
}

/** The refusal to change an agent of somebody else. */
export function foreignAgent(reg: string): ApiError {
  return new ApiError('FORBIDDEN', `agent ${reg} belongs to another operator`)
}
