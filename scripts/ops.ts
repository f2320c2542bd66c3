import { parseArgs } from 'node:util'
import { examine, toLines } from './ops/doctor.ts'
import { findPlacement } from './ops/placement.ts'
import { localSite, readSettings, toSite } from './ops/site.ts'
import { settingsTemplate } from './ops/template.ts'
import { runWithSettings } from './ops/wrangler.ts'
import { messageOf } from './support/message.ts'

const USAGE = `usage:
  npm run -s ops -- template > production.env                     prints a settings file to fill in
  npm run -s ops -- doctor                                        checks the running local stack
  npm run -s ops -- doctor --from FILE --env ENVIRONMENT          checks a deployment with the settings of a file
  npm run -s ops -- secrets put --from FILE --env ENVIRONMENT     sets the settings of a file for the Worker
See docs/operate/deploy.md`

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { from: { type: 'string' }, env: { type: 'string' }, help: { type: 'boolean' } },
  })
  const command = positionals.join(' ')
  if (values.help) return console.log(USAGE)
  if (command === 'template') return console.log(settingsTemplate())
  if (command === 'doctor') return doctor(values)
  if (command === 'secrets put') return putSecrets(values)
  throw new Error(command ? `unknown command '${command}'\n${USAGE}` : USAGE)
}

async function doctor({ from, env }: Words): Promise<void> {
  if (!from !== !env) throw new Error(`--from and --env require each other\n${USAGE}`)
  const site = from && env ? toSite(readSettings(from), await findPlacement(env)) : localSite()
  const findings = await examine(site, (finding) => console.log(toLines(finding)))
  if (findings.some(({ outcome }) => outcome.state === 'wrong')) process.exitCode = 1
}

async function putSecrets({ from, env }: Words): Promise<void> {
  if (!from || !env) throw new Error(`--from and --env are required\n${USAGE}`)
  const { given } = toSite(readSettings(from), await findPlacement(env))
  await runWithSettings(given, (file) => ['secret', 'bulk', file, '--env', env])
}

interface Words {
  from?: string | undefined
  env?: string | undefined
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(messageOf(error))
    process.exitCode = 1
  })
}
