import type { Source } from '../../src/db/enums.ts'

/** The platform whose key reports, with its state at that time. */
export interface ReportingPlatform {
  /** The identity of its operator; null if not checked. */
  identity: string | null
  is_established: boolean
  is_distrusted: boolean
}

/**
 * The source of a report: the reference for the SQL function source_of.
 *
 * Different identities are different operators, because an operator has only one.
 *
 * @param agent_identity the checked identity of the agent's operator; null if there is none
 * @param platform null for a key of the operator
 *
 * Source: trust score algorithm 1.0, who reports
 */
export function sourceOf(agent_identity: string | null, platform: ReportingPlatform | null): Source {
  if (!platform || platform.identity === null || platform.identity === agent_identity) return 'self'
  if (agent_identity === null) return 'unproven'
  return platform.is_established && !platform.is_distrusted ? 'independent' : 'peer'
}
