import { AGENT_PATH } from '../../src/pages/agent-number.ts'
import { OPERATOR_PATH } from '../../src/pages/operator.ts'
import type { World } from './page-world.ts'

/** The viewer of a page: nobody who is signed in, or an operator of the world. */
type Viewer = 'nobody' | keyof World['operators']

/** A page in one of its states. */
export interface PageCase {
  /** The declared route that serves it; static pages have none. */
  route?: string
  state: string
  path: string | ((world: World) => string)
  status: number
  viewer: Viewer
  /** Its size is not checked. */
  isLarge?: true
}

/** The program that verifies. */
const LARGE = ['/transparency']

const page = (
  route: string,
  state: string,
  path: PageCase['path'] = route,
  { status = 200, viewer = 'nobody' as Viewer } = {},
): PageCase => ({ route, state, path, status, viewer })

const consolePage = (route: string, state: string, path: PageCase['path'] = route, viewer: Viewer = 'acme') =>
  page(route, state, path, { viewer })

/** Routes for people that are not pages. */
export const NO_PAGES: readonly string[] = [
  '/agents/:reg/badge.svg',
  '/agents/:reg/badge.json',
  '/agents/:reg/jwks.json',
  '/agents/:reg{[Rr][Ee][Gg]-[^/]+}/card.json',
  '/agents/cards.txt',
  '/console/sign-in',
  '/console/account/kyc',
  '/llms.txt',
  '/sitemap.xml',
]

/** Pages of an empty registry. */
export const EMPTY_PAGES: readonly PageCase[] = [
  page('/', 'empty registry'),
  page('/agents', 'empty registry'),
  page('/status', 'empty registry'),
]

/** Pages while the database is down. */
export const AWAY_PAGES: readonly PageCase[] = [
  page('/status', 'down', '/status', { status: 503 }),
  page('/agents', 'database away', '/agents', { status: 503 }),
  page('/docs/*', 'database away', '/docs/quickstart'),
]

/** The page of an agent of the world, or a page below it. */
const agentPage = (state: keyof World['regs'], below = '', { status = 200 } = {}) =>
  page(
    `${AGENT_PATH}${below.replace(/\?.*/, '')}`,
    `${state}${below && `, ${below}`}`,
    ({ regs }) => `/agents/${regs[state]}${below}`,
    { status },
  )

const agentPages: PageCase[] = [
  agentPage('invoices'),
  agentPage('invoices', '?days=90'),
  agentPage('invoices', '?days=365'),
  agentPage('few'),
  agentPage('provisional'),
  agentPage('deactivated'),
  agentPage('suspended'),
  agentPage('redacted'),
  agentPage('hostile'),
  agentPage('astral'),
  agentPage('unknown', '', { status: 404 }),
  page(AGENT_PATH, 'mistyped', '/agents/REG-2026-0001-0042-A', { status: 404 }),
  agentPage('invoices', '/log'),
  agentPage('suspended', '/log'),
  agentPage('redacted', '/log'),
  agentPage('hostile', '/log'),
  agentPage('astral', '/log'),
]

const publicPages: PageCase[] = [
  ...agentPages,
  page('/', 'with agents'),
  page('*', 'no such page', '/nowhere', { status: 404 }),
  page('/api/v1/auth/callback', 'no sign-in begun', undefined, { status: 400 }),
  page('/agents', 'all'),
  page('/agents', 'some', '/agents?class=A&ownership_status=verified&min_score=10'),
  page('/agents', 'none found', '/agents?q=gardening'),
  page('/agents', 'mistyped number', '/agents?q=REG-2026-0001-0042-A'),
  page('/agents', 'rejected filter', '/agents?min_score=many', { status: 400 }),
  page(OPERATOR_PATH, 'verified', ({ operators }) => `/operators/${operators.acme.id}`),
  page(OPERATOR_PATH, 'suspended', ({ operators }) => `/operators/${operators.suspended.id}`),
  page(OPERATOR_PATH, 'hostile', ({ operators }) => `/operators/${operators.hostile.id}`),
  page(OPERATOR_PATH, 'unknown', '/operators/018f3c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f', { status: 404 }),
  page('/platforms/:slug', 'established', '/platforms/ledger-market'),
  page('/platforms/:slug', 'retired', '/platforms/ledger-retired'),
  page('/platforms/:slug', 'hostile', '/platforms/mallory'),
  page('/status', 'in operation'),
  page('/docs/search', 'found', '/docs/search?q=idempotency'),
  page('/docs/search', 'none found', '/docs/search?q=gardening'),
  page('/docs/*', 'unknown', '/docs/gardening', { status: 404 }),
  page('/unsubscribe/:token', 'asks', ({ unsubscribe }) => `/unsubscribe/${unsubscribe}`),
  page('/unsubscribe/:token', 'cut off', '/unsubscribe/cut', { status: 404 }),
]

/** A page below a platform of its operator. */
const platformPage = (state: string, slug: string, below = '', viewer: Viewer = 'acme') =>
  consolePage(
    `/console/platforms/:slug${below.replace(/\?.*/, '')}`,
    state,
    () => `/console/platforms/${slug}${below}`,
    viewer,
  )

const platformPages: PageCase[] = [
  consolePage('/console/platforms', 'some'),
  consolePage('/console/platforms', 'none', '/console/platforms', 'first'),
  consolePage('/console/platforms/new', 'empty form'),
  platformPage('agents to confirm', 'acme-market'),
  platformPage('without webhook', 'acme-quiet'),
  platformPage('failing', 'acme-failing'),
  platformPage('disabled', 'acme-stopped'),
  platformPage('retired', 'ledger-retired', '', 'keeper'),
  platformPage('hostile', 'mallory', '', 'hostile'),
  platformPage('some', 'acme-market', '/agents'),
  platformPage('none', 'acme-quiet', '/agents'),
  consolePage(
    '/console/platforms/:slug/agents/:reg/remove',
    'asks',
    ({ regs }) => `/console/platforms/acme-market/agents/${regs.guest}/remove`,
  ),
  platformPage('some', 'acme-market', '/deliveries'),
  platformPage('failed alone', 'acme-market', '/deliveries?status=failed'),
  platformPage('none', 'acme-quiet', '/deliveries'),
  ...(['delivered', 'failed', 'pending', 'skipped'] as const).map((state) =>
    consolePage(
      '/console/platforms/:slug/deliveries/:id',
      state,
      ({ deliveries }) => `/console/platforms/acme-market/deliveries/${deliveries[state]}`,
    ),
  ),
  consolePage(
    '/console/platforms/:slug/deliveries/:id',
    'hostile',
    ({ deliveries }) => `/console/platforms/mallory/deliveries/${deliveries.hostile}`,
    'hostile',
  ),
  platformPage('asks', 'acme-market', '/recover'),
  platformPage('active', 'acme-market', '/settings'),
  platformPage('retired', 'ledger-retired', '/settings', 'keeper'),
  platformPage('once rotated', 'acme-market', '/secret'),
  platformPage('one', 'acme-quiet', '/secret'),
  platformPage('asks', 'acme-quiet', '/retire'),
  platformPage('none', 'acme-quiet', '/keys'),
  platformPage('some', 'acme-market', '/keys'),
  platformPage('empty form', 'acme-market', '/keys/new'),
  consolePage(
    '/console/platforms/:slug/keys/:key_id',
    'one',
    ({ platformKey }) => `/console/platforms/acme-market/keys/${platformKey}`,
  ),
  consolePage(
    '/console/platforms/:slug/keys/:key_id/revoke',
    'asks',
    ({ platformKey }) => `/console/platforms/acme-market/keys/${platformKey}/revoke`,
  ),
  consolePage('/console/notifications', 'some'),
  consolePage('/console/notifications', 'none', '/console/notifications', 'first'),
  consolePage('/console/audit', 'some'),
  consolePage('/console/audit', 'of one kind', '/console/audit?action=api_key.created'),
]

const agentTab = (tab: string, state: string, reg: keyof World['regs'], viewer: Viewer = 'acme') =>
  consolePage(
    `/console/agents/:reg/${tab}`,
    state,
    ({ regs }) => `/console/agents/${regs[reg]}/${tab}`,
    viewer,
  )

const consolePages: PageCase[] = [
  page('/console', 'not signed in', '/console', { status: 401 }),
  page('/console/nowhere', 'no such page', '/console/nowhere', { status: 404, viewer: 'acme' }),
  consolePage('/console', 'first run', '/console', 'first'),
  consolePage('/console', 'trouble first'),
  consolePage('/console', 'at the quota', '/console', 'full'),
  consolePage('/console', 'hostile', '/console', 'hostile'),
  consolePage('/console/agents', 'some'),
  consolePage('/console/agents', 'deactivated', '/console/agents?status=deactivated'),
  consolePage('/console/agents', 'none', '/console/agents', 'first'),
  consolePage('/console/agents/new', 'empty form'),
  consolePage('/console/agents/new', 'at the quota', '/console/agents/new', 'full'),
  consolePage('/console/agents/:reg', 'with everything', ({ regs }) => `/console/agents/${regs.invoices}`),
  consolePage('/console/agents/:reg', 'no score yet', ({ regs }) => `/console/agents/${regs.few}`),
  consolePage('/console/agents/:reg', 'deactivated', ({ regs }) => `/console/agents/${regs.deactivated}`),
  agentTab('activity', 'some', 'invoices'),
  agentTab('activity', 'redacted', 'redacted'),
  agentTab('activity', 'hostile', 'hostile', 'hostile'),
  agentTab('incidents', 'some', 'invoices'),
  agentTab('incidents', 'none', 'few'),
  agentTab('incidents', 'hostile', 'hostile', 'hostile'),
  agentTab('domain', 'verified', 'invoices'),
  agentTab('domain', 'asked for', 'few'),
  agentTab('settings', 'active', 'invoices'),
  agentTab('settings', 'deactivated', 'deactivated'),
  agentTab('settings', 'hostile', 'hostile', 'hostile'),
  consolePage('/console/agents/:reg', 'hostile', ({ regs }) => `/console/agents/${regs.hostile}`, 'hostile'),
  consolePage('/console/agents/:reg', 'astral', ({ regs }) => `/console/agents/${regs.astral}`, 'hostile'),
  consolePage('/console/agents/:reg/keys', 'some', ({ regs }) => `/console/agents/${regs.invoices}/keys`),
  consolePage('/console/agents/:reg/keys', 'none', ({ regs }) => `/console/agents/${regs.few}/keys`),
  consolePage(
    '/console/agents/:reg/keys/:kid/revoke',
    'asks',
    ({ regs, kid }) => `/console/agents/${regs.invoices}/keys/${kid}/revoke`,
  ),
  consolePage(
    '/console/agents/:reg/deactivate',
    'asks',
    ({ regs }) => `/console/agents/${regs.few}/deactivate`,
  ),
  consolePage('/console/keys', 'some'),
  consolePage('/console/keys', 'none', '/console/keys', 'first'),
  consolePage('/console/keys/new', 'empty form'),
  consolePage('/console/keys/:key_id', 'one', ({ key }) => `/console/keys/${key}`),
  consolePage('/console/keys/:key_id/revoke', 'asks', ({ key }) => `/console/keys/${key}/revoke`),
  ...platformPages,
  consolePage('/console/account', 'verified'),
  consolePage('/console/account', 'unverified', '/console/account', 'first'),
]

/** Pages that the Worker renders. */
export const PAGES: readonly PageCase[] = [...publicPages, ...consolePages]

/** The pages of operations. */
const MADE_ALIKE = /^docs.reference[\\/](?!webhook-events)/

/** Pages of the build, by the route that serves each file; only two pages of operations. */
export function staticPages(files: readonly string[]): PageCase[] {
  const alike = files.filter((file) => MADE_ALIKE.test(file))
  const looked = [...files.filter((file) => !MADE_ALIKE.test(file)), ...alike.slice(0, 1), ...alike.slice(-1)]
  return looked.map((file) => {
    const path = `/${file.replaceAll('\\', '/').replace(/\.html$/, '')}`
    return {
      route: path.startsWith('/docs') ? '/docs/*' : path,
      state: 'static',
      path,
      status: 200,
      viewer: 'nobody',
      ...(LARGE.includes(path) && { isLarge: true }),
    }
  })
}

/** The pages of which another state, or another text in the same layout, comes earlier in the list. */
export function furtherOf(pages: readonly PageCase[]): Set<PageCase> {
  const layoutOf = ({ route, path }: PageCase) => route ?? path
  const firsts = new Map(pages.toReversed().map((page) => [layoutOf(page), page]))
  return new Set(pages.filter((page) => firsts.get(layoutOf(page)) !== page))
}

/** The name of a page in test titles and screenshots. */
export const nameOf = ({ route, path, state }: PageCase): string =>
  `${typeof path === 'string' ? path : route?.replace(/\{.*?\}/, '')}: ${state}`
