import { type SQL, sql } from 'drizzle-orm'

/**
 * Whether a platform is notified about an event of one of its agents. With admission by approval, it is notified about an
 * unconfirmed agent only when the agent is registered; a retired platform is notified about nothing.
 *
 * @param platform the row of `platforms`
 * @param state the agent's `platform_state`
 * @param type the event type
 */
export function isNotified(platform: SQL, state: SQL, type: SQL): SQL {
  return sql`(${platform}.status = 'active'
        and (${platform}.admission = 'open' or ${state} = 'confirmed' or ${type} = 'agent.registered'))`
}

/**
 * Whether webhooks are currently sent to a platform; if not, its deliveries are skipped, and can be recovered.
 *
 * @param platform the row of `platforms`
 * @param operator the row of its operator
 */
export function isReceiving(platform: SQL, operator: SQL): SQL {
  return sql`(${platform}.status = 'active' and ${platform}.webhook_status = 'enabled'
        and ${platform}.webhook_url is not null and ${operator}.status = 'active')`
}
