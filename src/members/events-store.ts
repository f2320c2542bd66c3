import { sql } from 'drizzle-orm'
import { jsonb } from '../db/sql.ts'
import { shownScore } from '../trust/shown.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import type { OutgoingEvent } from '../webhooks/outbox/store.ts'
import type { FoundChangeable } from './found-store.ts'

/** The webhook events of an agent that is changed or deactivated, or joins a platform; `found` is where it was before. */
export function membershipEvents(
  { id, placement, basis }: FoundChangeable,
  { changed, deactivates, joins }: { changed: string[]; deactivates?: boolean; joins: boolean },
  now: Date,
): OutgoingEvent[] {
  const payload = sql`agent_payload(${id}::uuid, ${jsonb(shownScore(basis))})`
  const events: OutgoingEvent[] = []
  if (placement.platform) {
    const agent = { platform_id: placement.platform.id, platform_state: placement.state }
    if (changed.length > 0) {
      const data = sql`${payload} || ${jsonb({ changed })}`
      events.push({ head: newEvent('agent.updated', now, 0), agent, data })
    }
    if (deactivates) events.push({ head: newEvent('agent.deactivated', now, 1), agent, data: payload })
  }
  if (joins)
    events.push({ head: newEvent('agent.registered', now, 2), agent: { agent_id: id }, data: payload })
  return events
}
