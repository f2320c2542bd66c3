import type { Tier } from '../db/enums.ts'
import { QUOTAS } from '../db/tiers.ts'
import type { ErrorCode } from '../errors.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { overDailyQuota } from '../wire/quota.ts'

/** Why the database did not store a valid event. */
export type RejectedOutcome =
  | 'unknown_agent'
  | 'foreign_agent'
  | 'retired_platform'
  | 'unconfirmed_agent'
  | 'deactivated'
  | 'too_many_events'
  | 'too_many_bytes'

export interface Rejection {
  code: ErrorCode
  message: string
}

/**
 * The error for a valid event that was not stored.
 *
 * @param outcome `invalid`: a repeated request, whose first response was made under stricter rules
 * @param tier of the reporter
 */
export function rejectionOf(outcome: RejectedOutcome | 'invalid', reg: string, tier: Tier): Rejection {
  const { events_per_day, metadata_bytes_per_day } = QUOTAS[tier]
  switch (outcome) {
    case 'invalid':
      return {
        code: 'VALIDATION_ERROR',
        message:
          'event: was rejected when this Idempotency-Key was first used; send it again with a new Idempotency-Key',
      }
    case 'unknown_agent':
      return { code: 'NOT_FOUND', message: agentNotFound(reg).message }
    case 'foreign_agent':
      return {
        code: 'FORBIDDEN',
        message: `this key cannot report on agent ${reg}: a key of an operator reports only on the operator's own agents, and a key of a platform only on agents on the platform`,
      }
    case 'retired_platform':
      return { code: 'FORBIDDEN', message: 'your platform is retired and can no longer report events' }
    case 'unconfirmed_agent':
      return {
        code: 'FORBIDDEN',
        message: `agent ${reg} is not confirmed; your platform requires approval: confirm the agent before you report on it`,
      }
    case 'deactivated':
      return { code: 'AGENT_DEACTIVATED', message: `agent ${reg} is deactivated and accepts no more events` }
    case 'too_many_events':
      return {
        code: 'RATE_LIMITED',
        message: overDailyQuota('events_per_day', events_per_day, `events for agent ${reg}`),
      }
    case 'too_many_bytes':
      return {
        code: 'RATE_LIMITED',
        message: overDailyQuota(
          'metadata_bytes_per_day',
          metadata_bytes_per_day,
          `bytes of metadata for agent ${reg}`,
        ),
      }
  }
}
