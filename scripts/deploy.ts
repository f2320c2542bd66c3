import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { baseUrl } from '../src/env.ts'
import { isLoopback } from '../src/lib/host.ts'
import { messageOf } from './support/message.ts'

const ROOT = join(import.meta.dirname, '..')
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

const NEON_HOST = /\.([a-z0-9-]+)\.(aws|azure)\.neon\.tech$/

/** What the deployment would set, and where that stands. */
export interface Found {
  BASE_URL: unknown
  where: string
}

/** Where the deployment would have the Worker run. */
export interface Placement {
  region?: unknown
}

/**
 * Why the Worker must not be placed there; null when it may, or when nobody can tell: each step to a database elsewhere
 * takes the whole way (docs/performance.md, From afar).
 *
 * @param databaseUrl of a Neon project, whose host names its region
 */
export function placementProblem(
  { region }: Placement,
  where: string,
  databaseUrl: string | undefined,
): string | null {
  const host = databaseUrl && URL.canParse(databaseUrl) ? new URL(databaseUrl).hostname : ''
  const [, name, cloud] = NEON_HOST.exec(host) ?? []
  if (!name || region === `${cloud}:${name}`) return null
  return `${where}: [placement] must be region = "${cloud}:${name}", where the database of DATABASE_URL is`
}

/**
 * Why a BASE_URL must not be deployed; null when it may, or when none is set: then it is a secret of the Worker, which
 * judges it itself.
 */
export function deployProblem({ BASE_URL, where }: Found): string | null {
  if (BASE_URL === undefined) return null
  const parsed = baseUrl.safeParse(BASE_URL)
  const problem = parsed.success
    ? isLoopback(new URL(parsed.data).hostname)
      ? 'is on localhost; it must be the https address where the Worker will answer'
      : parsed.data.startsWith('https:')
        ? null
        : 'must begin with https://'
    : parsed.error.issues[0]?.message
  return problem ? `${where}: BASE_URL ${problem}` : null
}

/** The BASE_URL and the placement that `wrangler deploy` with these arguments would set. */
export async function findSettings(args: readonly string[]): Promise<Found & { placement: Placement }> {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      config: { type: 'string', short: 'c' },
      env: { type: 'string', short: 'e' },
      var: { type: 'string', multiple: true },
    },
  })
  const { unstable_readConfig } = await import('wrangler')
  const env = typeof values.env === 'string' ? values.env : process.env.CLOUDFLARE_ENV
  const config = typeof values.config === 'string' ? values.config : join(ROOT, 'wrangler.toml')
  const read = unstable_readConfig({ config, ...(env && { env }) }, { hideWarnings: true })
  const placement: Placement = { ...read.placement }
  const given = [values.var ?? []].flat().find((one) => String(one).startsWith('BASE_URL:'))
  if (given) return { BASE_URL: String(given).slice('BASE_URL:'.length), where: '--var', placement }
  const table = env ? `the vars of ${env}` : '[vars]'
  const where = `${relative(ROOT, read.configPath ?? config)}, ${table}`
  return { BASE_URL: read.vars.BASE_URL, where, placement }
}

if (import.meta.main) {
  try {
    const args = process.argv.slice(2)
    const found = await findSettings(args)
    const problem =
      deployProblem(found) ?? placementProblem(found.placement, 'wrangler.toml', process.env.DATABASE_URL)
    if (problem) throw new Error(problem)
    const deploy = [WRANGLER, 'deploy', '--minify', ...args]
    const { status } = spawnSync(process.execPath, deploy, { cwd: ROOT, stdio: 'inherit' })
    process.exitCode = status ?? 1
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
