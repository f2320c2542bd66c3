import { join } from 'node:path'
import type { Placement } from './check.ts'

const CONFIG = join(import.meta.dirname, '../../wrangler.toml')
const NEON_HOST = /\.([a-z0-9-]+)\.(aws|azure)\.neon\.tech$/

/**
 * Reads where wrangler would place the Worker of an environment.
 *
 * @throws Error when wrangler.toml does not have this environment
 */
export async function findPlacement(environment: string): Promise<Placement> {
  const { unstable_readConfig } = await import('wrangler')
  const { placement } = unstable_readConfig({ config: CONFIG, env: environment }, { hideWarnings: true })
  return { region: { ...placement }.region, where: `wrangler.toml, [env.${environment}.placement]` }
}

/**
 * Why the placement is wrong; null if it is right or the region of the database is unknown. In another region, each
 * network step to the database has the full latency between both (docs/operate/performance.md, Distant callers).
 *
 * @param databaseUrl of a Neon project, whose host contains its region
 */
export function placementProblem({ region, where }: Placement, databaseUrl: string): string | null {
  const host = URL.canParse(databaseUrl) ? new URL(databaseUrl).hostname : ''
  const [, name, cloud] = NEON_HOST.exec(host) ?? []
  if (!name || region === `${cloud}:${name}`) return null
  return `${where}: must be region = "${cloud}:${name}", the region of the database in DATABASE_URL`
}
