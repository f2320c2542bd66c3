import { signInToConsole } from '../../local/sign-in.ts'
import type { Plant } from '../chaos/plant.ts'
import { create, type Site } from '../chaos/site.ts'
import { knownRoutes } from '../support/access-table.ts'
import { NO_PAGES, PAGES } from '../support/page-table.ts'

const MADE_BY_OTHERS = [
  '/auth/callback',
  '/auth/sign-in',
  '/unsubscribe/',
  '/account/kyc',
  '/llms.txt',
  '/sitemap.xml',
  '/nowhere',
  '/docs/*',
]
const MORE = ['/ready', '/health', '/log/checkpoint']

/** Values for the parameters of paths. */
interface Known {
  reg: string
  slug: string
  id: string
  key_id: string
  delivery: string
  platformKey: string
}

/** All readable paths: of the API and public pages, and of the console. */
export interface Paths {
  open: string[]
  console: string[]
  /** The console cookie of the operator. */
  cookie: string
}

/** All readable routes and pages with existing parameters, from the tables that list every route. */
export async function findPaths(plant: Plant, site: Site): Promise<Paths> {
  const known = await makeKnown(plant, site)
  const filled = (path: string) => fill(path, known)
  const routes = knownRoutes().flatMap((route) => {
    const [method, path = ''] = route.split(' ')
    return method === 'GET' ? filled(path).map((one) => `/api/v1${one}`) : []
  })
  const declared = [...new Set([...PAGES.flatMap(({ route }) => route ?? []), ...NO_PAGES])]
  const pages = declared.flatMap(filled)
  const ofConsole = (path: string) => path.startsWith('/console')
  const agents = site.agents.flatMap((reg) =>
    pages
      .filter((path) => path.startsWith(`/agents/${known.reg}`))
      .map((path) => path.replace(known.reg, reg)),
  )
  return {
    open: [...new Set([...routes, ...pages.filter((path) => !ofConsole(path)), ...agents, ...MORE])],
    console: pages.filter((path) => ofConsole(path) && path !== '/console/sign-in'),
    cookie: await signInToConsole({ ...plant, email: site.email }),
  }
}

/** The path with its parameters; empty if it redirects elsewhere or needs a parameter that does not exist. */
function fill(path: string, { delivery, platformKey, ...known }: Known): string[] {
  if (!path.startsWith('/') || MADE_BY_OTHERS.some((part) => path.includes(part))) return []
  const names: Record<string, string> = {
    ...known,
    ...(path.includes('/deliveries/') && { id: delivery }),
    ...(path.includes('/platforms/') && { key_id: platformKey }),
  }
  const plain = path.replaceAll(/:(\w+)(\{.*?\})?(?=\/|\.|$)/g, '{$1}')
  const filled = plain.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '?')
  return filled.includes('?') ? [] : [filled]
}

async function makeKnown(plant: Plant, { agents, platform, operatorId, session }: Site): Promise<Known> {
  const [delivery] = await plant.sql('select id from webhook_deliveries order by created_at limit 1')
  const keyAt = async (path: string): Promise<string> =>
    (await create(plant, session, path, { name: 'shown', permissions: ['read'] })).id
  return {
    reg: agents[0] ?? '?',
    slug: platform,
    id: operatorId,
    key_id: await keyAt('/operators/me/api-keys'),
    platformKey: await keyAt(`/platforms/${platform}/api-keys`),
    delivery: delivery?.id ?? '?',
  }
}
