import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Env } from '../../../src/env.ts'
import type { Population } from '../../support/population.ts'
import type { Measured } from './cases.ts'
import { progress, type Servers } from './servers.ts'

const ROOT = join(import.meta.dirname, '../../..')
const TIMEOUT_MS = 30_000
/** The number of agents on which the measured operator can report. */
const MEASURED_AGENTS = 50
/** Used in turn; together, they can send a million requests per minute. */
const KEYS = 100

/** A version of the service: its checkout, and a database that its own code has filled. */
export interface Version {
  root: string
  settings: Record<string, string>
  measured: Measured
  keys: string[]
}

/** Fills a database for a version of the service. */
export async function fillFor(
  root: string,
  { name, population, servers }: { name: string; population: Population; servers: Servers },
): Promise<Version> {
  const ofVersion = (file: string) => import(join(root, file))
  const { migrateDatabase }: typeof import('../../../scripts/migrate.ts') =
    await ofVersion('scripts/migrate.ts')
  const { agentId, fill, makeKeys }: typeof import('../../support/population.ts') = await ofVersion(
    'test/support/population.ts',
  )
  const { connect }: typeof import('../../../src/db/client.ts') = await ofVersion('src/db/client.ts')
  const { snapshotPage }: typeof import('../../../src/jobs/snapshots.ts') =
    await ofVersion('src/jobs/snapshots.ts')

  const { url, client, settings } = await servers.create(name, migrateDatabase)
  const { agents, eventsPerAgent } = population
  await fill(url, population, (done) =>
    progress(`${name}: filled ${done} of ${agents} agents, ${done * eventsPerAgent} events`),
  )
  const keys = await makeKeys(client, KEYS, settings.CREDENTIALS_KEY)
  const { rows } = await client.query<{ reg: string }>('select reg from agents order by id limit $1', [
    3 * MEASURED_AGENTS,
  ])
  const regs = rows.map(({ reg }) => reg)
  await client.query(
    `delete from agent_evidence where agent_id >= $1 and agent_id < $2 and source <> 'independent'`,
    [agentId(MEASURED_AGENTS), agentId(2 * MEASURED_AGENTS)],
  )
  const env = settings as unknown as Env
  const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
  await snapshotPage({ env, db, now: new Date() }, { from: agentId(0), until: agentId(MEASURED_AGENTS) })
  const measured = {
    settled: regs.slice(0, MEASURED_AGENTS),
    withNewEvents: regs.slice(MEASURED_AGENTS, 2 * MEASURED_AGENTS),
    withMostRows: regs.slice(2 * MEASURED_AGENTS),
  }
  return { root, settings, measured, keys }
}

/** Checks out an earlier commit, with the packages of its lock file, until the bench ends. */
export async function checkOut(commit: string, { dir, atEnd }: Servers): Promise<string> {
  const root = join(dir, 'earlier')
  const run = (cwd: string, command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd })
  progress(`installing the packages of ${commit}`)
  await run(ROOT, 'git', 'worktree', 'add', '--detach', root, commit)
  atEnd(() => run(ROOT, 'git', 'worktree', 'remove', '--force', root))
  await run(root, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  return root
}
