import { ApiError } from '../errors.ts'
import { checkMatches } from '../lib/agent-number.ts'

/** The error for a number that no agent has. */
export function agentNotFound(reg: string): ApiError {
  return new ApiError('NOT_FOUND', `there is no agent ${reg}${mismatchOf(reg)}`)
}

/** The number itself; one with a wrong check character was never allocated and is rejected without a check. */
export function requireValidNumber(reg: string): string {
  if (!checkMatches(reg)) throw agentNotFound(reg)
  return reg
}

/** The error for an agent of somebody else. */
export function foreignAgent(reg: string): ApiError {
  return new ApiError('FORBIDDEN', `agent ${reg} belongs to another operator`)
}

function mismatchOf(reg: string): string {
  if (checkMatches(reg)) return ''
  return ': its check character does not match, so at least one character is mistyped'
}
