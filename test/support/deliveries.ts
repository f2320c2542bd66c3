import { SIGNING_KEYS, signDelivery } from '../../local/stand-ins/qstash/sign.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { eventually } from './fill.ts'
import { type ApiResponse, type Body, type Harness, startReceiver } from './harness.ts'

export const ago = (ms: number) => new Date(Date.now() - ms)

export interface Sent {
  status: 'pending' | 'delivered' | 'failed' | 'skipped'
  type?: string
  /** When it was created; a failed one has five attempts after that, as scheduled. */
  at: Date
  /** The event of an earlier delivery; default: a new event. */
  event_id?: string
  /** The number of attempts made, by default as many as lead to the status. */
  attempts?: number
}

/** Creates an operator with a platform and a receiver, which `stop` ends. */
export async function newIntegration(h: Harness, fields: object = {}) {
  const operator = await h.newOperator({ tier: 'pro' })
  const receiver = await startReceiver()
  const platform = await h.newPlatform(operator, { webhook_url: receiver.url, ...fields })
  const path = `/platforms/${platform.slug}`
  const ask = (method: string, below: string, call: { body?: unknown; now?: Date } = {}) =>
    h.api(method, path + below, { token: operator.token, ...call })
  const stop = () => receiver.stop()
  return { operator, platform, receiver, path, ask, stop, [Symbol.asyncDispose]: stop }
}

export type Integration = Awaited<ReturnType<typeof newIntegration>>

/**
 * Inserts deliveries, unpublished; returns them in the given order.
 *
 * @param data of their events
 */
export async function fillDeliveries(
  h: Pick<Harness, 'sql'>,
  slug: string,
  sent: readonly Sent[],
  data: object = RESOLVED,
): Promise<Body[]> {
  const made = await h.sql(
    `with sent as (
       select s.*, gen_random_uuid() as id,
         coalesce(s.event_id, 'evt_' || replace(gen_random_uuid()::text, '-', '')) as event
       from rows from (jsonb_to_recordset($2::jsonb) as (status text, type text, at timestamptz, event_id text, attempts integer))
         with ordinality as s (status, type, at, event_id, attempts, n)
     ), events as (
       insert into webhook_events (id, type, created_at, data)
       select event, coalesce(type, 'incident.resolved'), at, $3::jsonb from sent where event_id is null
     ), deliveries as (
       insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, next_attempt_at, created_at, delivered_at)
       select s.id, event, p.id, coalesce(s.type, (select type from webhook_events where id = s.event_id), 'incident.resolved'), s.status,
         coalesce(s.attempts, case s.status when 'failed' then 5 when 'delivered' then 1 else 0 end),
         case s.status when 'pending' then at end, at, case s.status when 'delivered' then at end
       from sent s, platforms p where p.slug = $1
     ), attempts as (
       insert into webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, response_excerpt)
       select id, a.number, at + a.minutes * interval '1 minute', 5, 500, '' from sent,
         (values (1, 0), (2, 1), (3, 6), (4, 36), (5, 156)) a (number, minutes) where status = 'failed'
     )
     select id, event as event_id from sent order by n`,
    [slug, JSON.stringify(sent), JSON.stringify(data)],
  )
  // As autovacuum does within a minute: sessions that were planned for a small table check foreign keys by scanning it.
  if (sent.length >= 1_000)
    await h.sql('analyze platforms, webhook_events, webhook_deliveries, webhook_attempts')
  return made
}

/** The data of a resolved incident's event. */
export const RESOLVED = {
  incident_id: '01a1fc89-cf65-7e90-91f2-582afd126737',
  reg: 'REG-2026-0001-0000-D',
  title: 'Late',
  severity: 'info',
  reported_by: 'operator',
  source: 'self',
  platform: null,
  description: '',
  status: 'resolved',
  resolution: 'Done',
  resolved_at: '2026-11-21T10:00:00.000Z',
}

/** The stored deliveries to a platform, oldest first. */
export const deliveriesOf = (h: Harness, { slug }: Body): Promise<Body[]> =>
  h.sql(
    `select d.*, e.type, e.data from webhook_deliveries d join webhook_events e on e.id = d.event_id
     join platforms p on p.id = d.platform_id where p.slug = $1 order by d.created_at, d.id`,
    [slug],
  )

/** The attempts of the deliveries to a platform, in the order of their numbers for each. */
export const attemptsOf = (h: Harness, { slug }: Body): Promise<Body[]> =>
  h.sql(
    `select a.number::integer, a.started_at, a.duration_ms, a.response_status, a.error, a.response_excerpt
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     join platforms p on p.id = d.platform_id where p.slug = $1 order by a.delivery_id, a.number`,
    [slug],
  )

/**
 * Inserts deliveries whose next attempt is this one, without publishing them to QStash; no sweep publishes them, as they
 * are of a time to come.
 */
export const queueDeliveries = (
  h: Pick<Harness, 'sql'>,
  slug: string,
  { attempt = 1, count = 1, data }: { attempt?: number; count?: number; data?: object } = {},
): Promise<Body[]> =>
  fillDeliveries(
    h,
    slug,
    Array.from({ length: count }, () => ({ status: 'pending', at: ago(-HOUR_MS), attempts: attempt - 1 })),
    data,
  )

/** Waits until `count` deliveries to a platform have a status. */
export const settled = (h: Harness, { platform }: Integration, status: string, count = 1) =>
  eventually(
    () => deliveriesOf(h, platform),
    (all) => all.filter((one) => one.status === status).length >= count,
  )

/** Requests an attempt from the relay, like QStash. */
export async function askRelay(
  { api, base_url }: Pick<Harness, 'api' | 'base_url'>,
  delivery_id: string,
  attempt: number,
  host: string | null = '127.0.0.1',
): Promise<ApiResponse> {
  return sendSigned({ api, base_url }, '/internal/qstash/deliver', { delivery_id, attempt, host })
}

/** Sends a message, signed like those of QStash. */
export async function sendSigned(
  { api, base_url }: Pick<Harness, 'api' | 'base_url'>,
  path: string,
  message: object,
): Promise<ApiResponse> {
  const body = JSON.stringify(message)
  const signature = await signDelivery(base_url + path, Buffer.from(body), SIGNING_KEYS.current)
  return api('POST', `/${path}`, { body, headers: { 'Upstash-Signature': signature } })
}

/** Disables a platform's webhook, as ten failed deliveries do. */
export const disable = (h: Harness, { slug }: Body) =>
  h.sql(
    `update platforms set webhook_status = 'disabled', consecutive_failures = 10, failing_since = '2026-11-20T08:05:00Z'
     where slug = $1`,
    [slug],
  )
