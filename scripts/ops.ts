import { text } from 'node:stream/consumers'
import { parseArgs, parseEnv } from 'node:util'
import { changeSettings } from './ops/change.ts'
import { examine, toLines } from './ops/doctor.ts'
import { findPlacement } from './ops/placement.ts'
import { ROTATIONS, rotate } from './ops/rotate.ts'
import { localSite, readSettings, toSite } from './ops/site.ts'
import { settingsTemplate } from './ops/template.ts'
import { runProgram } from './support/program.ts'

const USAGE = `usage:
  npm run -s ops -- template > production.env                     prints a settings file to fill in
  npm run -s ops -- doctor                                        checks the running local stack
  npm run -s ops -- doctor --from FILE --env ENVIRONMENT          checks a deployment with the settings of a file
  npm run -s ops -- set --from FILE --env ENVIRONMENT             reads NAME=value lines, and changes the file and the Worker
  npm run -s ops -- rotate NAME --from FILE --env ENVIRONMENT     rotates ${ROTATIONS}
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
  if (command !== 'set' && positionals[0] !== 'rotate')
    throw new Error(command ? `unknown command '${command}'\n${USAGE}` : USAGE)
  const { from: file, env: environment } = values
  if (!file || !environment) throw new Error(`--from and --env are required\n${USAGE}`)
  const target = { file, environment }
  if (command === 'set') return changeSettings(target, parseLines(await text(process.stdin)))
  console.log(await rotate(target, positionals.slice(1)))
}

async function doctor({ from, env }: Words): Promise<void> {
  if (!from !== !env) throw new Error(`--from and --env require each other\n${USAGE}`)
  const site = from && env ? toSite(readSettings(from), await findPlacement(env)) : localSite()
  const findings = await examine(site, (finding) => console.log(toLines(finding)))
  if (findings.some(({ outcome }) => outcome.state === 'wrong')) process.exitCode = 1
}

function parseLines(lines: string): Record<string, string> {
  return Object.fromEntries(Object.entries(parseEnv(lines)).map(([name, value]) => [name, value ?? '']))
}

interface Words {
  from?: string | undefined
  env?: string | undefined
}

if (import.meta.main) await runProgram(() => main(process.argv.slice(2)))
