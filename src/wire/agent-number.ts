import { ApiError } from '../errors.ts'
import { checkMatches } from '../lib/agent-number.ts'

/** The error for an agent number that is not allocated. */
export function agentNotFound(reg: string): ApiError {
  return new ApiError('NOT_FOUND', `there is no agent ${reg}${mismatchOf(reg)}`)
}

/** Returns the number, or throws NOT_FOUND without a query if its check character is wrong. */
export function requireValidNumber(reg: string): string {
  if (!checkMatches(reg)) throw agentNotFound(reg)
  return reg
}

/** The error for an agent of another operator. */
export function foreignAgent(reg: string): ApiError {
  return new ApiError(
    'FORBIDDEN',
    `agent ${reg} belongs to another operator, and only its operator can do this`,
  )
}

function mismatchOf(reg: string): string {
  if (checkMatches(reg)) return ''
  return ': its check character does not match, so at least one character is mistyped'
}
