import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, parseEnv as parseEnvFile } from 'node:util'
import { parseEnv } from '../src/env.ts'
import { findSettings } from './deploy.ts'
import type { Site } from './ops/check.ts'
import { examine, toLines } from './ops/doctor.ts'
import { messageOf } from './support/message.ts'
import { LOCAL_DIR, readStackFile } from './support/stack-file.ts'

const USAGE = `usage:
  npm run -s ops -- doctor                                    tries the local stack that runs
  npm run -s ops -- doctor --from FILE [--env ENVIRONMENT]    tries a deployment with the settings of a file`

const OWNER = 'OWNER_DATABASE_URL'

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { from: { type: 'string' }, env: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) return console.log(USAGE)
  if (positionals.join(' ') !== 'doctor') throw new Error(USAGE)
  const findings = await examine(
    values.from ? await siteOf(values.from, values.env) : localSite(),
    (finding) => console.log(toLines(finding)),
  )
  if (findings.some(({ outcome }) => outcome.state === 'wrong')) process.exitCode = 1
}

async function siteOf(file: string, environment: string | undefined): Promise<Site> {
  if (!existsSync(file)) throw new Error(`${file}: there is no such file`)
  const read = parseEnvFile(readFileSync(file, 'utf8')) as Record<string, string>
  const { placement, where } = await findSettings(environment ? ['--env', environment] : [])
  return toSite(read, { ...placement, where })
}

function localSite(): Site {
  const { database_url } = readStackFile()
  const read = parseEnvFile(readFileSync(join(LOCAL_DIR, 'worker.env'), 'utf8')) as Record<string, string>
  return toSite({ ...read, [OWNER]: database_url }, null)
}

/** @param read the settings, with the owner's connection string beside them */
export function toSite(read: Record<string, string>, placement: Site['placement']): Site {
  const { [OWNER]: ownerUrl = process.env[OWNER], ...given } = read
  return { given, env: readEnv(given), ownerUrl, placement }
}

function readEnv(given: Record<string, string>): Site['env'] {
  try {
    return parseEnv({ ...given, ASSETS: { fetch } })
  } catch {
    return null // the first check says why
  }
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(messageOf(error))
    process.exitCode = 1
  })
}
