import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { requireCurrent } from './ops/change.ts'
import type { Check, Site } from './ops/check.ts'
import { CHECKS, examine, type Finding, toLines } from './ops/doctor.ts'
import { findPlacement } from './ops/placement.ts'
import { OWNER_SETTING } from './ops/settings.ts'
import { readSettings, toSite } from './ops/site.ts'
import { runWithSettings } from './ops/wrangler.ts'
import { runProgram } from './support/program.ts'

const ROOT = join(import.meta.dirname, '..')
const USAGE =
  'usage: npm run deploy -- --env production --from production.env [--change SETTING]… [--without-comparison]'
const SMOKE_MS = 180_000 // until the new version is deployed everywhere and the cron has run
const PAUSE_MS = 5_000

interface Options {
  say: (line: string) => void
  /** Names of settings that this deployment changes; null for the first one, which has nothing to compare. */
  changes?: readonly string[] | null
  /** How long the checks of the new version may fail. */
  smokeMs?: number
  checks?: readonly Check[]
}

/**
 * Deploys the Worker with the settings of a site, unless a check of its dependencies fails; then checks the Worker.
 *
 * @throws Error that states why it was not deployed, or that checks failed after the deployment
 */
export async function deploy(
  site: Site,
  environment: string,
  { say, changes = [], smokeMs = SMOKE_MS, checks = CHECKS }: Options,
): Promise<void> {
  if (!site.ownerUrl) {
    throw new Error(`${OWNER_SETTING} is missing: only the owner can see whether migrations are pending`)
  }
  if (changes) await requireCurrent(site.given, changes)
  const before = checks.filter(({ ofWorker }) => !ofWorker)
  const findings = await examine(site, (finding) => say(toLines(finding)), before)
  if (wrongOf(findings).length > 0) {
    throw new Error(`not deployed: checks that failed, see above: ${wrongOf(findings).length}`)
  }
  await runWithSettings(site.given, (file) => [
    ...['deploy', '--minify', '--env', environment, '--secrets-file', file, '--tag', commit()],
  ])
  const wrong = await smokeTest(site, { say, smokeMs, checks: checks.filter(({ ofWorker }) => ofWorker) })
  if (wrong > 0) {
    throw new Error(
      `deployed, but checks failed, see above: ${wrong}; to roll back: npm exec -- wrangler rollback --env ${environment}`,
    )
  }
  say(`deployed to ${site.given.BASE_URL}`)
}

/** @returns how many checks failed; they are repeated, because it takes a while to deploy the new version everywhere */
async function smokeTest(
  site: Site,
  { say, smokeMs, checks }: Required<Omit<Options, 'changes'>>,
): Promise<number> {
  for (const until = Date.now() + smokeMs; ; await pause(Math.min(PAUSE_MS, smokeMs))) {
    const findings = await examine(site, undefined, checks)
    const wrong = wrongOf(findings).length
    if (wrong > 0 && Date.now() < until) continue
    for (const finding of findings) say(toLines(finding))
    return wrong
  }
}

function wrongOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ outcome }) => outcome.state === 'wrong')
}

/** The checked-out commit; /ready shows it as the version. */
function commit(): string {
  return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      env: { type: 'string' },
      from: { type: 'string' },
      change: { type: 'string', multiple: true, default: [] },
      'without-comparison': { type: 'boolean', default: false },
    },
  })
  const { env, from, change, 'without-comparison': isFirst } = values
  if (!env || !from) throw new Error(USAGE)
  const site = toSite(readSettings(from), await findPlacement(env))
  await deploy(site, env, { say: console.log, changes: isFirst ? null : change })
}

if (import.meta.main) await runProgram(() => main(process.argv.slice(2)))
