import { HOUR_MS } from '../../src/lib/time.ts'
import { newAgentKey, newProof } from './agent-keys.ts'
import { ago, fillDeliveries } from './deliveries.ts'
import type { ApiDocument, Route, Schema } from './document.ts'
import { type ApiResponse, type Body, type Call, freshSlug, type Harness } from './harness.ts'
import { freshDomain, webControl } from './web.ts'

const KEYS_AT_HAND = [1, 2, 3] // each allows 60 calls

/** The kinds of credential that a route takes; `optional` when it also serves callers without one. */
export function accessOf({ security }: Route) {
  const kinds = new Set(security.flatMap((scheme) => Object.keys(scheme)))
  const permissions = new Set(security.flatMap((scheme) => scheme.key ?? []))
  const optional = security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0)
  return { session: kinds.has('session'), key: kinds.has('key'), permissions, optional }
}

/** A caller of a route who owns the resources that its path and sample body name. */
interface Rightful {
  path: string
  /** A body that the route accepts; undefined if it has none. */
  sample: Record<string, Body> | undefined
  owner: { id: string; email: string }
  /** Makes sure that the next call needs no new credential. */
  ready(): Promise<void>
  call(path: string, call?: Call): Promise<ApiResponse>
}

/**
 * Creates a caller of a route: a new operator with all resources that the route's path names.
 *
 * Switches to a new session or key whenever the current credential reaches its rate limit.
 */
export async function rightfulCaller(h: Harness, document: ApiDocument, route: Route): Promise<Rightful> {
  const { session, key, permissions } = accessOf(route)
  const owner = await h.newOperator({ tier: 'pro' })
  const keys =
    session || !key ? [] : await Promise.all(KEYS_AT_HAND.map(() => h.newKey(owner, [...permissions])))
  let token = ''
  let left = 0
  const ready = async () => {
    if (left > 0) return
    left = 1
    if (session) token = (await h.newOperator({ email: owner.email })).token
    else token = keys.pop()?.key ?? ''
  }
  const path = await ownedPath(h, route, owner)
  return {
    owner,
    path,
    sample: route.body ? await ownedSample(h, document, route.body, owner, path) : undefined,
    ready,
    async call(to, call = {}) {
      await ready()
      const response = await h.api(route.method, to, { ...(token && { token }), ...call })
      left = Number(response.headers.get('x-ratelimit-remaining'))
      return response
    },
  }
}

type Owner = Awaited<ReturnType<Harness['newOperator']>>

/** Creates the resource of a path parameter; in `path`, the parameters before it are filled in. */
type Make = (h: Harness, owner: Owner, path: string) => Promise<string>

/** Creates resources for path parameters: the first entry applies whose path is a prefix and that has the name. */
const OWNED: [start: string, name: string, make: Make][] = [
  ['/agents/{reg}/ownership/verify', 'reg', (h, owner) => publishedAgent(h, owner)],
  ['/agents/{reg}/keys/{kid}', 'kid', (h, owner, path) => agentKeyOf(h, owner, path.split('/')[2] ?? '')],
  ['/agent-keys/', 'kid', async (h, owner) => agentKeyOf(h, owner, (await h.newAgent(owner)).reg)],
  ['/agents/', 'reg', async (h, owner) => (await h.newAgent(owner)).reg],
  ['/verify/', 'reg', async (h, owner) => (await h.newAgent(owner)).reg],
  ['/operators/me/api-keys/', 'key_id', async (h, owner) => (await h.newKey(owner)).id],
  [
    '/auth/sessions/',
    'id',
    async (h, owner) => (await h.newOperator({ email: owner.email })).token.slice(9, 17),
  ],
  ['/platforms/', 'key_id', async (h, owner, path) => (await h.newPlatformKey(owner, platformOf(path))).id],
  ['/platforms/', 'reg', memberOf],
  ['/platforms/{slug}/deliveries', 'slug', listeningPlatform],
  ['/platforms/{slug}/webhook-test', 'slug', listeningPlatform],
  [
    '/platforms/{slug}/deliveries/{id}/retry-now',
    'id',
    (h, _, path) => deliveryOf(h, platformOf(path), 'waiting'),
  ],
  ['/platforms/{slug}/deliveries/', 'id', (h, _, path) => deliveryOf(h, platformOf(path), 'failed')],
  ['/platforms/', 'slug', async (h, owner) => (await h.newPlatform(owner)).slug],
  ['/incidents/', 'id', async (h, owner) => incidentOf(h, owner, (await h.newAgent(owner)).reg)],
  ['/operators/me/notifications/', 'id', notificationOf],
  ['/operators/{id}', 'id', async (_, owner) => owner.id],
]

const agentKeyOf: Make = async (h, owner, reg) => (await newAgentKey(h, owner, reg)).kid

const platformOf = (path: string) => path.split('/')[2] ?? ''

/** The number of an agent on the platform. */
async function memberOf(h: Harness, owner: Owner, path: string): Promise<string> {
  return (await h.newAgent(owner, { platform_slug: platformOf(path) })).reg
}

export async function notificationOf(h: Harness, owner: Owner): Promise<string> {
  const [row] = await h.sql(
    `insert into notifications (id, operator_id, type, title, body, created_at)
     values (gen_random_uuid(), $1, 'weekly_digest', 'Your week', 'Nothing happened', now()) returning id`,
    [owner.id],
  )
  return row.id
}

/** A platform with a webhook that does not respond. */
async function listeningPlatform(h: Harness, owner: Owner): Promise<string> {
  return (await h.newPlatform(owner, { webhook_url: 'http://127.0.0.1:9/closed' })).slug
}

/** A delivery to the platform that has failed, or is waiting for its last attempt. */
export async function deliveryOf(h: Harness, slug: string, state: 'failed' | 'waiting'): Promise<string> {
  const waiting = { status: 'pending', at: ago(-HOUR_MS), attempts: 4 } as const
  const sent = state === 'waiting' ? waiting : ({ status: 'failed', at: ago(0) } as const)
  const [delivery] = await fillDeliveries(h, slug, [sent])
  return delivery?.id
}

export async function incidentOf(h: Harness, owner: Owner, reg: string): Promise<string> {
  const { key } = await h.newKey(owner)
  await h.report(key, reg, { event_type: 'incident' })
  const [row] = await h.sql(
    'select i.id from incidents i join agents a on a.id = i.agent_id where a.reg = $1',
    [reg],
  )
  return row.id
}

/** The number of an agent whose proof is published but not yet verified. */
async function publishedAgent(h: Harness, owner: Owner): Promise<string> {
  const { reg } = await h.newAgent(owner)
  const web = webControl(h)
  await web.publish(await web.challenge(reg, owner, { domain: freshDomain(), method: 'dns' }))
  return reg
}

/** The path of the route, in which each parameter names a resource of this operator. */
export async function ownedPath(h: Harness, { name: routeName, path }: Route, owner: Owner): Promise<string> {
  let concrete = path
  for (const [placeholder, name] of path.matchAll(/\{(\w+)\}/g)) {
    const known = OWNED.find(([start, parameter]) => path.startsWith(start) && parameter === name)
    if (!known) throw new Error(`${routeName}: tell OWNED in rightful.ts what {${name}} stands for`)
    concrete = concrete.replace(placeholder, await known[2](h, owner, concrete))
  }
  return concrete
}

/** A body with all required fields (if none, the first one) from the schema; its agents, as that of the path, belong to this operator. */
export async function ownedSample(
  h: Harness,
  document: ApiDocument,
  schema: Schema,
  owner: Owner,
  path: string,
) {
  const body = sampleOf(document, schema) as Record<string, Body>
  for (const name of Object.keys(body)) {
    if (name === 'reg') body.reg = (await h.newAgent(owner)).reg
    if (name === 'proof') body.proof = await newProof(h, path.split('/')[2] ?? '')
    if (name === 'since') body.since = new Date(Date.now() - 60_000).toISOString()
    if (name === 'slug') body.slug = freshSlug()
    if (name === 'events') body.events = [{ ...body.events[0], reg: (await h.newAgent(owner)).reg }]
  }
  return body
}

function sampleOf(document: ApiDocument, given: Schema): unknown {
  const schema = document.resolve(given)
  if (schema.example !== undefined) return schema.example
  if (schema.enum) return schema.enum[0]
  const first = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (first) return sampleOf(document, first)
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const required = schema.required ?? Object.keys(schema.properties ?? {}).slice(0, 1)
      const fields = Object.entries(schema.properties ?? {}).filter(([name]) => required.includes(name))
      return Object.fromEntries(fields.map(([name, inner]) => [name, sampleOf(document, inner)]))
    }
    case 'array':
      return [sampleOf(document, schema.items ?? {})]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return schema.format === 'date-time' ? new Date(Date.now() - 1000).toISOString() : 'abc'
  }
}
