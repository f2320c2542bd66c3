import { connect } from '../../db/client.ts'
import type { Env } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { describeError, log } from '../../lib/log.ts'
import { publishAll } from '../../services/qstash.ts'
import { LEASE_MS } from '../schedule.ts'
import { flowOf } from './flow.ts'
import { markPublished, type Publication } from './store.ts'

/** Publishes the deliveries of a request after its response; the sweep publishes those that fail. */
export function publishAfterResponse(c: Ctx, publications: readonly Publication[] | null): void {
  if (!publications) return
  const { env, now } = c.var
  c.get('waitUntil')(publishOrLeave(env, publications, now(), { request_id: c.get('request_id') }))
}

/**
 * Publishes deliveries; logs an error and leaves the rest to the sweep if that fails. Never rejects.
 *
 * @returns whether all were published
 */
export async function publishOrLeave(
  env: Env,
  publications: readonly Publication[],
  now: Date,
  context: Record<string, unknown>,
): Promise<boolean> {
  try {
    await publish(env, publications, now)
    return true
  } catch (error) {
    log('warning', 'publish_failed', { ...context, ...describeError(error) })
    return false
  }
}

/**
 * Schedules a call of the relay with QStash for each attempt, then marks the deliveries as published.
 *
 * @throws Error if QStash or the database fails: the sweep then publishes again
 */
export async function publish(env: Env, publications: readonly Publication[], now: Date): Promise<void> {
  await publishAll(
    env,
    publications,
    (one) => message(env, one),
    (batch, signal) => markPublished(connect(env, signal), batch, now),
  )
}

function message(env: Env, publication: Publication) {
  const { delivery_id, type, attempt, host, publish_count, due_at } = publication
  return {
    url: `${env.BASE_URL}/internal/qstash/deliver`,
    body: { delivery_id, attempt, host },
    timeout: LEASE_MS / 1000,
    label: type,
    flowControl: flowOf(publication),
    deduplicationId: `${delivery_id}:${attempt}:p${publish_count}`,
    failureCallback: `${env.BASE_URL}/internal/qstash/failed`,
    // An absolute time, not a delay: the duration of the previous attempt does not shift the schedule.
    ...(due_at && { notBefore: Math.ceil(Date.parse(due_at) / 1000) }),
  }
}
