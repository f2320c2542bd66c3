import { randomInt, randomUUID } from 'node:crypto'
import { signIn } from '../../local/sign-in.ts'
import { administer } from '../../scripts/admin.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import type { Plant } from './plant.ts'

const AGENTS = 4
const PLENTY = QUOTAS.enterprise.key_requests_per_minute
const TRIES = 5
const CALL_MS = 15_000 // three times the longest that the service takes for a response

export interface Call {
  token: string
  body?: object
  key?: string
  /** The time that the Worker takes for now. */
  now?: Date | null
}

export interface SiteResponse {
  status: number
  text: string
  isReplay: boolean
}

/** Who writes: an operator with a platform that wants every event, agents on it, and a key that is never at its limit. */
export interface Site {
  operatorId: string
  session: string
  platform: string
  agents: string[]
  key: string
}

/** @returns null when no whole response came */
export async function call(
  plant: Plant,
  path: string,
  { token, body, key, now }: Call,
): Promise<SiteResponse | null> {
  try {
    const response = await fetch(`${plant.baseUrl}/api/v1${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'CF-Connecting-IP': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': key }),
        ...(now && { 'X-Test-Now': now.toISOString() }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS),
    })
    const text = await response.text()
    return { status: response.status, text, isReplay: response.headers.has('idempotency-replayed') }
  } catch {
    return null
  }
}

/** Signs somebody new in; returns who, and the session's token. */
export async function newOperator({ baseUrl, mailboxUrl, databaseUrl }: Plant) {
  const email = `${randomUUID()}@example.com`
  const { session_token: session, operator } = await signIn({ baseUrl, mailboxUrl, email })
  await administer(databaseUrl(), ['tier', email, 'enterprise'])
  return { id: (operator as { id: string }).id, session }
}

export async function newSite(plant: Plant): Promise<Site> {
  const { id, session } = await patiently(() => newOperator(plant))
  const made = (path: string, body: object) =>
    patiently(async () => {
      const reply = await call(plant, path, { token: session, body })
      if (reply?.status !== 201) throw new Error(`POST ${path}: ${reply?.status} ${reply?.text}`)
      return JSON.parse(reply.text)
    })
  const platform = `p-${randomUUID()}`
  await made('/platforms', { slug: platform, name: platform, webhook_url: plant.webhookUrl })
  const agents: string[] = []
  for (let n = 0; n < AGENTS; n++) {
    agents.push((await made('/agents', { name: `Agent ${n}`, class: 'A', platform_slug: platform })).reg)
  }
  const key = await made('/operators/me/api-keys', { name: 'load', permissions: ['activity:report'] })
  await plant.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [key.id, PLENTY])
  return { operatorId: id, session, platform, agents, key: key.key }
}

/** On a busy machine Redis may take longer than production grants it, and some calls are rejected uncounted. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work()
    } catch (error) {
      if (n === TRIES || !String(error).includes(' 503 ')) throw error
    }
  }
}
