import { type SQL, sql } from 'drizzle-orm'

/**
 * Whether a platform is notified of an event of one of its agents. Under approval, of an agent that it has not confirmed it
 * is notified of the registration alone; once retired, of nothing.
 *
 * @param platform the row of `platforms`
 * @param state the agent's `platform_state`
 * @param type of the event
 */
export function isNotified(platform: SQL, state: SQL, type: SQL): SQL {
  return sql`(${platform}.status = 'active'
        and (${platform}.admission = 'open' or ${state} = 'confirmed' or ${type} = 'agent.registered'))`
}

/**
 * Whether webhooks go out to a platform now; what does not is skipped, and can be recovered.
 *
 * @param platform the row of `platforms`
 * @param operator the row of its operator
 */
export function isReceiving(platform: SQL, operator: SQL): SQL {
  return sql`(${platform}.status = 'active' and ${platform}.webhook_status = 'enabled'
        and ${platform}.webhook_url is not null and ${operator}.status = 'active')`
}
