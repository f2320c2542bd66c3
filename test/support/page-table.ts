import { AGENT_PATH } from '../../src/pages/agent-number.ts'
import { OPERATOR_PATH } from '../../src/pages/operator.ts'
import { CONSOLE_PAGES } from './console-table.ts'
import { about, type PageCase, page } from './page-case.ts'

/** The program that verifies. */
const LARGE = ['/transparency']

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

const LOG = `${AGENT_PATH}/log`
const PLATFORM = '/platforms/:slug'
const NOT_FOUND = { status: 404 }

const publicPages: PageCase[] = [
  ...['invoices', 'invoices?days=90', 'invoices?days=365', 'few', 'provisional', 'deactivated'].map((of) =>
    about(AGENT_PATH, of),
  ),
  ...['suspended', 'redacted', 'hostile', 'astral'].map((of) => about(AGENT_PATH, of)),
  about(AGENT_PATH, 'unknown', 'unknown', NOT_FOUND),
  about(AGENT_PATH, 'REG-2026-0001-0042-A', 'mistyped', NOT_FOUND),
  ...['invoices', 'suspended', 'redacted', 'hostile', 'astral'].map((of) => about(LOG, of)),
  page('/', 'with agents'),
  page('*', 'no such page', '/nowhere', NOT_FOUND),
  page('/api/v1/auth/callback', 'no sign-in begun', undefined, { status: 400 }),
  page('/agents', 'all'),
  page('/agents', 'some', '/agents?class=A&ownership_status=verified&min_score=10'),
  page('/agents', 'none found', '/agents?q=gardening'),
  page('/agents', 'mistyped number', '/agents?q=REG-2026-0001-0042-A'),
  page('/agents', 'rejected filter', '/agents?min_score=many', { status: 400 }),
  about(OPERATOR_PATH, 'acme', 'verified'),
  about(OPERATOR_PATH, 'suspended'),
  about(OPERATOR_PATH, 'hostile'),
  about(OPERATOR_PATH, '018f3c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f', 'unknown', NOT_FOUND),
  about(PLATFORM, 'ledger-market', 'established'),
  about(PLATFORM, 'ledger-retired', 'retired'),
  about(PLATFORM, 'mallory', 'hostile'),
  page('/status', 'in operation'),
  page('/docs/search', 'found', '/docs/search?q=idempotency'),
  page('/docs/search', 'none found', '/docs/search?q=gardening'),
  page('/docs/*', 'unknown', '/docs/gardening', NOT_FOUND),
  about('/unsubscribe/:token', 'token', 'asks'),
  about('/unsubscribe/:token', 'cut', 'cut off', NOT_FOUND),
]

/** Pages that the Worker renders. */
export const PAGES: readonly PageCase[] = [...publicPages, ...CONSOLE_PAGES]

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
