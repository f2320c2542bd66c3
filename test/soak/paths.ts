import type { Plant } from '../chaos/plant.ts'
import type { Site } from '../chaos/site.ts'
import { API } from '../support/document.ts'
import { NO_PAGES, PAGES } from '../support/page-table.ts'
import { accessOf } from '../support/rightful.ts'

const ELSEWHERE =
  /\/auth\/(callback|sign-in)|\/unsubscribe|\/account\/kyc|\/console\/sign-in|\/nowhere|\.txt|\/sitemap|\*/
const MORE = ['/ready', '/health', '/log/checkpoint']

/** All readable paths, by the credential that they need. */
export type Paths = Record<'open' | 'key' | 'session' | 'console', string[]>

/** All readable routes and pages with existing parameters, from the lists of routes and pages. */
export async function findPaths(plant: Plant, site: Site): Promise<Paths> {
  const paths: Paths = { open: [...MORE], key: [], session: [], console: [] }
  const known = await knownOf(plant, site)
  const add = (kind: keyof Paths, path: string, reg = site.agents[0] ?? '') => {
    if (!ELSEWHERE.test(path)) paths[kind].push(...filled(path, { ...known, reg }))
  }
  const { routes } = await plant.openApi()
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const { optional, key } = accessOf(route)
    add(optional ? 'open' : key ? 'key' : 'session', API + route.path.replaceAll(/\{(\w+)\}/g, ':$1'))
  }
  for (const page of new Set([...PAGES.flatMap(({ route }) => route ?? []), ...NO_PAGES])) {
    if (page.startsWith('/console')) add('console', page)
    else for (const reg of page.includes(':reg') ? site.agents : ['']) add('open', page, reg)
  }
  return paths
}

/** The path with its parameters; empty if it needs one that does not exist. */
function filled(page: string, known: Record<string, string>): string[] {
  const place = ['deliveries', 'platforms'].find((name) => page.includes(`/${name}/`))
  const path = page.replaceAll(
    /:(\w+)(\{.*?\})?(?=\/|\.|$)/g,
    (_, name: string) => known[`${place} ${name}`] ?? known[name] ?? '?',
  )
  return path.includes('?') ? [] : [path]
}

async function knownOf(plant: Plant, { operator, platform }: Site): Promise<Record<string, string>> {
  const [delivery] = await plant.sql(
    'select d.id from webhook_deliveries d join platforms p on p.id = d.platform_id where slug = $1 limit 1',
    [platform],
  )
  return {
    slug: platform,
    id: operator.id,
    key_id: (await plant.newKey(operator, ['read'])).id,
    'deliveries id': delivery.id,
    'platforms key_id': (await plant.newPlatformKey(operator, platform)).id,
  }
}
