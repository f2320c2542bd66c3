import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { baseUrl } from '../src/env.ts'
import { isLoopback } from '../src/lib/host.ts'
import { messageOf } from './support/message.ts'

const ROOT = join(import.meta.dirname, '..')
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

/** What the deployment would set, and where that stands. */
export interface Found {
  BASE_URL: unknown
  where: string
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

/** The BASE_URL that `wrangler deploy` with these arguments would set. */
export async function findBaseUrl(args: readonly string[]): Promise<Found> {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      config: { type: 'string', short: 'c' },
      env: { type: 'string', short: 'e' },
      var: { type: 'string', multiple: true },
    },
  })
  const given = [values.var ?? []].flat().find((one) => String(one).startsWith('BASE_URL:'))
  if (given) return { BASE_URL: String(given).slice('BASE_URL:'.length), where: '--var' }
  const { unstable_readConfig } = await import('wrangler')
  const env = typeof values.env === 'string' ? values.env : process.env.CLOUDFLARE_ENV
  const config = typeof values.config === 'string' ? values.config : join(ROOT, 'wrangler.toml')
  const { vars, configPath } = unstable_readConfig({ config, ...(env && { env }) }, { hideWarnings: true })
  const table = env ? `the vars of ${env}` : '[vars]'
  return { BASE_URL: vars.BASE_URL, where: `${relative(ROOT, configPath ?? config)}, ${table}` }
}

if (import.meta.main) {
  try {
    const args = process.argv.slice(2)
    const problem = deployProblem(await findBaseUrl(args))
    if (problem) throw new Error(problem)
    const deploy = [WRANGLER, 'deploy', '--minify', ...args]
    const { status } = spawnSync(process.execPath, deploy, { cwd: ROOT, stdio: 'inherit' })
    process.exitCode = status ?? 1
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
