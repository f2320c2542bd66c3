import { HOUR_MS } from '../../src/lib/time.ts'
import { newAgentKey, newProof } from './agent-keys.ts'
import type { ConsoleVisitor } from './console.ts'
import { ago, disable, fillDeliveries } from './deliveries.ts'
import { freshSlug, type Harness, type Operator } from './harness.ts'
import { NOBODY_LISTENS } from './members.ts'
import { PLATFORM_PAGES } from './platforms.ts'

/** Network steps: one reads the session and counts the request, the other is the page's batch or the action's statement. */
const BUDGET = 2

const AGENT_TABS = ['activity', 'incidents', 'domain', 'keys', 'settings']

const SETTINGS = { name: 'P', webhook_url: NOBODY_LISTENS, events: 'all', admission: 'open' }

/** A form of the console, on a page; its own address by default. */
interface Form {
  page: string
  action?: string
  fields?: Record<string, string>
}

type PageCase = [name: string, budget: number, path: () => Promise<string>]
type ActionCase = [name: string, budget: number, form: () => Promise<Form>]

/** The pages and actions of the console with their budgets of network steps, for an operator who is signed in. */
export function consoleSteps(own: Harness, operator: Operator, visitor: ConsoleVisitor) {
  const newAgent = async () => `/console/agents/${(await own.newAgent(operator)).reg}`
  const newPlatform = async (below = '') => {
    const { slug } = await own.newPlatform(operator, { webhook_url: NOBODY_LISTENS })
    return `/console/platforms/${slug}${below}`
  }
  const newKey = async () => `/console/keys/${(await own.newKey(operator)).id}`

  async function withIncident(): Promise<Form> {
    const { reg } = await own.newAgent(operator)
    const { key } = await own.newKey(operator)
    await own.report(key, reg, { event_type: 'incident', severity: 'error' })
    const { body } = await own.api('GET', `/agents/${reg}/incidents`)
    const { incident_id: id } = body.data[0]
    const page = `/console/agents/${reg}/incidents`
    return { page, action: `${page}/${id}`, fields: { [`resolution-${id}`]: 'Fixed' } }
  }

  async function withProof(): Promise<Form> {
    const page = `${await newAgent()}/keys`
    return { page, fields: { proof: await newProof(own, page.split('/').at(-2) ?? '') } }
  }

  async function withAgentKey(): Promise<Form> {
    const { reg } = await own.newAgent(operator)
    const { kid } = await newAgentKey(own, operator, reg)
    return { page: `/console/agents/${reg}/keys/${kid}/revoke`, fields: { reason: 'unused' } }
  }

  async function withChallenge(part: string): Promise<Form> {
    const page = `${await newAgent()}/domain`
    await visitor.send(page, page, { domain: `${freshSlug()}.example.com`, method: 'dns' })
    return { page, action: `${page}/${part}` }
  }

  async function withSession(): Promise<Form> {
    const { token } = await own.newOperator({ email: operator.email })
    return { page: '/console/account', action: `/console/account/sessions/${token.slice(9, 17)}/end` }
  }

  async function withDelivery(status: 'failed' | 'pending', part: string): Promise<Form> {
    const at = await newPlatform()
    const slug = at.split('/').at(-1) ?? ''
    const [{ id }] = await fillDeliveries(own, slug, [
      { status, at: ago(status === 'failed' ? HOUR_MS : -HOUR_MS) },
    ])
    return { page: `${at}/deliveries/${id}`, action: `${at}/deliveries/${id}${part}` }
  }

  async function withMembership(): Promise<Form> {
    const slug = (await newPlatform()).split('/').at(-1)
    const agent = `/console/agents/${(await own.newAgent(operator, { platform_slug: slug })).reg}`
    return { page: `${agent}/settings`, action: `${agent}/platform`, fields: { platform_slug: '' } }
  }

  async function withMember(part: string): Promise<Form> {
    const at = await newPlatform()
    const owner = await own.newOperator()
    const { reg } = await own.newAgent(owner, { platform_slug: at.split('/').at(-1) })
    const action = `${at}/agents/${reg}${part}`
    return { page: part === '/confirm' ? `${at}/agents` : action, action }
  }

  const ofPlatform =
    (below: string, fields: Record<string, string>, page?: string) => async (): Promise<Form> => {
      const at = await newPlatform()
      const [slug = ''] = at.split('/').slice(-1)
      const filled = below === '/retire' ? { slug } : fields
      return { page: at + (page ?? below), action: at + below, fields: filled }
    }

  async function withDisabled(): Promise<Form> {
    const at = await newPlatform()
    await disable(own, { slug: at.split('/').at(-1) })
    return { page: at, action: `${at}/enable` }
  }

  async function withNotification(part: (id: string) => string): Promise<Form> {
    const [{ id }] = await own.sql(
      `insert into notifications (id, operator_id, type, title, body, created_at)
       values (gen_random_uuid(), $1, 'ownership_lost', 'Lost', 'Lost', now()) returning id`,
      [operator.id],
    )
    return { page: '/console/notifications', action: `/console/notifications/${part(id)}` }
  }

  const ofAgent = (part: string, fields: Record<string, string>) => async (): Promise<Form> => {
    const page = (await newAgent()) + part
    return { page, fields }
  }

  const pages: PageCase[] = [
    ['the overview', BUDGET, async () => '/console'],
    ['agents', BUDGET, async () => '/console/agents'],
    ['a new agent', BUDGET, async () => '/console/agents/new'],
    ['an agent', BUDGET, newAgent],
    ...AGENT_TABS.map(
      (tab): PageCase => [`an agent's ${tab}`, BUDGET, async () => `${await newAgent()}/${tab}`],
    ),
    ['the revocation of a key of an agent', BUDGET, async () => (await withAgentKey()).page],
    ['the deactivation of an agent', BUDGET, async () => `${await newAgent()}/deactivate`],
    ['keys', BUDGET, async () => '/console/keys'],
    ['a new key', 1, async () => '/console/keys/new'],
    ['a key', BUDGET, newKey],
    ['the revocation of a key', BUDGET, async () => `${await newKey()}/revoke`],
    ['platforms', BUDGET, async () => '/console/platforms'],
    ['a new platform', 1, async () => '/console/platforms/new'],
    ...PLATFORM_PAGES.map((below): PageCase => [`a platform's ${below}`, BUDGET, () => newPlatform(below)]),
    ["a platform's delivery", BUDGET, async () => (await withDelivery('failed', '')).page],
    ['notifications', BUDGET, async () => '/console/notifications'],
    ['the audit log', BUDGET, async () => '/console/audit?action=platform.registered'],
    ['the account', BUDGET, async () => '/console/account'],
    ['a sign-in', 1, async () => '/console/sign-in'],
  ]

  const actions: ActionCase[] = [
    [
      'register an agent',
      BUDGET,
      async () => ({ page: '/console/agents/new', fields: { name: 'A', class: 'A' } }),
    ],
    ['change an agent', BUDGET, ofAgent('/settings', { name: 'B' })],
    ['register a key of an agent', BUDGET, withProof],
    ['revoke a key of an agent', BUDGET, withAgentKey],
    ['leave a platform', BUDGET, withMembership],
    ['request a challenge', BUDGET, ofAgent('/domain', { domain: 'agents.example.com', method: 'dns' })],
    ['check a proof', 4, () => withChallenge('check')], // one more for the allowance, and one for the lookup of the domain
    ['cancel a challenge', BUDGET, () => withChallenge('cancel')],
    ['resolve an incident', BUDGET, withIncident],
    [
      'create a key',
      BUDGET,
      async () => ({ page: '/console/keys/new', fields: { name: 'k', permissions: 'read' } }),
    ],
    [
      'register a platform',
      BUDGET,
      async () => ({ page: '/console/platforms/new', fields: { ...SETTINGS, slug: freshSlug() } }),
    ],
    ['change a platform', BUDGET, ofPlatform('/settings', SETTINGS)],
    ['rotate a secret', BUDGET, ofPlatform('/secret', {})],
    ['retire a platform', BUDGET, ofPlatform('/retire', {})],
    ['enable a webhook', BUDGET, withDisabled],
    ['send a test event', BUDGET + 1, ofPlatform('/test', { type: 'trust.updated' }, '')],
    ["create a platform's key", BUDGET, ofPlatform('/keys/new', { name: 'k', permissions: 'read' })],
    ['confirm an agent', BUDGET, () => withMember('/confirm')],
    ['remove an agent', BUDGET, () => withMember('/remove')],
    ['redeliver an event', BUDGET + 1, () => withDelivery('failed', '/redeliver')],
    ['retry a delivery', BUDGET + 1, () => withDelivery('pending', '/retry-now')],
    ['recover deliveries', BUDGET, ofPlatform('/recover', { since: ago(HOUR_MS).toISOString() })],
    ['mark a notification as read', BUDGET, () => withNotification((id) => `${id}/read`)],
    ['mark all notifications as read', BUDGET, () => withNotification(() => 'read-all')],
    ['change the profile', BUDGET, async () => ({ page: '/console/account', fields: { name: 'Acme' } })],
    ['end a session', BUDGET, withSession],
    [
      'create a token',
      BUDGET,
      async () => ({
        page: '/console/account',
        action: '/console/account/tokens',
        fields: { token_name: 't' },
      }),
    ],
  ]

  return { pages, actions }
}
