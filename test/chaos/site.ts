import { randomUUID } from 'node:crypto'
import { signIn } from '../../local/sign-in.ts'
import { administer } from '../../scripts/admin.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { type Answer, ask } from '../support/load/ask.ts'
import type { Plant } from './plant.ts'

const AGENTS = 4
const HIGHEST_LIMIT = QUOTAS.enterprise.key_requests_per_minute
const TRIES = 5

export interface Call {
  /** Default: POST. */
  method?: 'POST' | 'PATCH'
  token: string
  body?: object
  key?: string
  /** The test clock of the request. */
  now?: Date | null
}

export type SiteResponse = Answer & { isReplay: boolean }

/** An operator with a platform that receives every event, its agents, and a key with a high rate limit. */
export interface Site {
  operatorId: string
  email: string
  session: string
  platform: string
  agents: string[]
  key: string
}

/** @returns null without a complete response */
export async function call(
  plant: Plant,
  path: string,
  { method = 'POST', token, body, key, now }: Call,
): Promise<SiteResponse | null> {
  const headers = {
    ...(key && { 'Idempotency-Key': key }),
    ...(now && { 'X-Test-Now': now.toISOString() }),
  }
  const answer = await ask(`${plant.baseUrl}/api/v1${path}`, { method, token, json: body, headers })
  return answer && { ...answer, isReplay: answer.headers.has('idempotency-replayed') }
}

/** Signs in a new operator; returns its id and session token. */
export async function newOperator({ baseUrl, mailboxUrl, databaseUrl }: Plant) {
  const email = `${randomUUID()}@example.com`
  const { session_token: session, operator } = await signIn({ baseUrl, mailboxUrl, email })
  await administer(databaseUrl(), ['tier', email, 'enterprise'])
  return { id: (operator as { id: string }).id, email, session }
}

/** Signs in an operator once more; returns the session token. */
export function newSession({ baseUrl, mailboxUrl }: Plant, email: string): Promise<string> {
  return withRetries(async () => (await signIn({ baseUrl, mailboxUrl, email })).session_token)
}

export async function newSite(plant: Plant): Promise<Site> {
  const { id, email, session } = await withRetries(() => newOperator(plant))
  const made = (path: string, body: object) => create(plant, session, path, body)
  const platform = `p-${randomUUID()}`
  await made('/platforms', { slug: platform, name: platform, webhook_url: plant.webhookUrl })
  const agents: string[] = []
  for (let n = 0; n < AGENTS; n++) {
    agents.push((await made('/agents', { name: `Agent ${n}`, class: 'A', platform_slug: platform })).reg)
  }
  const key = await made('/operators/me/api-keys', { name: 'load', permissions: ['activity:report'] })
  await plant.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [key.id, HIGHEST_LIMIT])
  return { operatorId: id, email, session, platform, agents, key: key.key }
}

/** Creates something in the name of an operator, and returns the response. */
export function create(plant: Plant, session: string, path: string, body: object) {
  return withRetries(async () => {
    const reply = await call(plant, path, { token: session, body })
    if (reply?.status !== 201) throw new Error(`POST ${path}: ${reply?.status} ${reply?.text}`)
    return JSON.parse(reply.text)
  })
}

/** Retries after 503: on a busy machine Redis may exceed its timeout. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work()
    } catch (error) {
      if (n === TRIES || !String(error).includes(' 503 ')) throw error
    }
  }
}
