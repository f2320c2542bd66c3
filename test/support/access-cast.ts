import type { Caller } from './access-table.ts'
import { platformKey } from './attested.ts'
import type { ApiDocument, Route } from './document.ts'
import { tirelessKey, unknownReg } from './fill.ts'
import { type ApiResponse, type Body, freshSlug, type Harness, type Operator } from './harness.ts'
import { giveAllowances } from './quotas.ts'
import { accessOf, ownedPath, ownedSample } from './rightful.ts'

const ALL = ['read', 'write', 'activity:report']
const SESSIONS = 6 // a session allows ten strict calls per minute, and 120 others
const NO_ID = '00000000-0000-7000-8000-000000000000'

/** The path and body of a request. */
interface Target {
  path: string
  body: Body
}

/** The callers of the access table, and the resources that their requests name. */
export async function accessCast(h: Harness, document: ApiDocument) {
  const [me, other, barred] = await Promise.all([
    h.newOperator({ tier: 'enterprise' }),
    h.newOperator({ tier: 'enterprise' }),
    h.newOperator(),
  ])
  await giveAllowances(h, me, ['new_keys'])
  const sessions = ({ email }: Operator) =>
    Promise.all(Array.from({ length: SESSIONS }, async () => (await h.newOperator({ email })).token))
  const [mine, others, platform] = await Promise.all([sessions(me), sessions(other), h.newPlatform(me)])
  const [ofPlatform, read, write, report, all, barredKey] = await Promise.all([
    platformKey(h, me, platform.slug),
    tirelessKey(h, me, ['read']),
    tirelessKey(h, me, ['write']),
    tirelessKey(h, me, ['activity:report']),
    tirelessKey(h, me, ALL),
    h.newKey(barred, ALL),
  ])
  // The agent belongs to another operator, so that the key has only the rights of a platform key.
  const [itsAgent, foreignAgent] = await Promise.all([
    h.newAgent(other, { platform_slug: platform.slug }),
    h.newAgent(me),
  ])
  await h.suspend(barred)

  const tokenOf = (caller: Caller, route: Route, turn: number): string | null => {
    switch (caller) {
      case 'nobody':
        return null
      case 'read key':
        return read
      case 'write key':
        return write
      case 'report key':
        return report
      case "key, other's":
      case 'key, missing':
        return all
      case 'platform key':
      case "platform key, other's":
        return ofPlatform
      case 'suspended':
        return accessOf(route).session ? barred.token : barredKey.key
      default:
        return mine[turn % SESSIONS] ?? ''
    }
  }

  /**
   * Prepares the requests of all callers of a route.
   *
   * @param turn number of the route, which selects the session
   */
  async function callsOf(route: Route, turn: number) {
    const targetOf = async (owner: Operator, token = ''): Promise<Target> => {
      const acting = { ...owner, token }
      const path = await ownedPath(h, route, acting)
      return { path, body: route.body ? await ownedSample(h, document, route.body, acting, path) : undefined }
    }
    const [own, foreign] = await Promise.all([
      targetOf(me, mine[(turn + 1) % SESSIONS]),
      targetOf(other, others[turn % SESSIONS]),
    ])
    const named = (caller: Caller): Target => {
      if (caller === 'platform key') return onAgent(route, own, itsAgent.reg, platform.slug)
      if (caller === "platform key, other's") return onAgent(route, foreign, foreignAgent.reg)
      if (caller.endsWith("other's")) return foreign
      return caller.endsWith('missing') ? missing(route, own) : own
    }
    return async (caller: Caller): Promise<ApiResponse> => {
      const { path, body: sample } = named(caller)
      const isLeaving = /^DELETE .auth.sessions?$/.test(route.name) && caller === 'session'
      const token = isLeaving ? (await h.newOperator()).token : tokenOf(caller, route, turn)
      const once = sample?.slug ? { ...sample, slug: freshSlug() } : sample
      return h.api(route.method, path, { ...(token && { token }), ...(once && { body: once }) })
    }
  }
  return { callsOf }
}

/** The same request for this agent or platform. */
function onAgent({ path }: Route, target: Target, reg: string, slug?: string): Target {
  const withAgent = path.replace('{reg}', reg)
  const withBoth = path.includes('{reg}')
    ? withAgent
    : slug
      ? target.path.replace(/^(\/platforms\/)[^/]+/, `$1${slug}`)
      : target.path
  return { path: withBoth, body: withReg(target.body, reg) }
}

/** The same request for something that does not exist. */
function missing({ path }: Route, target: Target): Target {
  const own = target.path.split('/')
  const last = path.split('/').findLastIndex((part) => part.startsWith('{'))
  const name = path.split('/')[last] ?? ''
  const nothing: Record<string, string> = {
    '{reg}': unknownReg(),
    '{slug}': freshSlug(),
    '{kid}': 'A'.repeat(43),
  }
  if (last > 0) own[last] = path.startsWith('/auth/sessions/') ? 'aaaaaaaa' : (nothing[name] ?? NO_ID)
  return { path: own.join('/'), body: withReg(target.body, unknownReg()) }
}

function withReg(body: Body, reg: string): Body {
  if (body?.events) return { ...body, events: body.events.map((event: Body) => ({ ...event, reg })) }
  return body?.reg ? { ...body, reg } : body
}

/** The status of a response; for a batch, that of its only event. */
export function statusOf({ status, body }: ApiResponse): string {
  return status === 207 ? `207:${body.data[0].status}` : String(status)
}

/** Whether requests of the route name a resource, which may belong to another operator or be missing. */
export const namesSomething = ({ path, body }: Route): boolean =>
  path.includes('{') || /Activity|Batch/.test(body?.$ref ?? '')
