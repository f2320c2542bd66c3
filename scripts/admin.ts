import type { Command } from './admin/command.ts'
import { eraseCommand } from './admin/erase.ts'
import { eraseOperatorCommand } from './admin/erase-operator.ts'
import { logKeyCommand } from './admin/log-key.ts'
import { logResumeCommand } from './admin/log-resume.ts'
import { operatorCommands } from './admin/operators.ts'
import { platformCommands } from './admin/platforms.ts'
import { redactCommand } from './admin/redact.ts'
import { releaseIdentityCommand } from './admin/release-identity.ts'
import { textCommands } from './admin/texts.ts'
import { tokenKeyCommand } from './admin/token-key.ts'
import { repairRestored } from './after-restore.ts'
import { ownerUrl, withoutYes } from './support/owner-url.ts'
import { runProgram } from './support/program.ts'

const COMMANDS: Record<string, Command> = {
  ...operatorCommands,
  ...platformCommands,
  'release-identity': releaseIdentityCommand,
  redact: redactCommand,
  erase: eraseCommand,
  'erase-operator': eraseOperatorCommand,
  ...textCommands,
  'token-key': tokenKeyCommand,
  'log-key': logKeyCommand,
  'log-resume': logResumeCommand,
  'after-restore': {
    usage: '',
    async run(databaseUrl, args) {
      const lostUrl = process.env.LOST_DATABASE_URL || undefined
      return args.length > 0 ? null : repairRestored({ databaseUrl: databaseUrl(), lostUrl }, new Date())
    },
  },
}

/**
 * Runs a command of `npm run -s admin`.
 *
 * @param databaseUrl returns the connection string of the database owner; called only if needed
 * @param args the name of a command, and its arguments
 * @returns the output of the command; the usage for `--help`
 * @throws Error with the usage when the arguments are invalid, else the error of the command
 */
export async function administer(databaseUrl: () => string, args: readonly string[]): Promise<string> {
  const [name = '', ...words] = args
  const usages = Object.entries(COMMANDS).map(([each, { usage }]) => lineOf(each, usage))
  if (name === '--help')
    return ['usage:', ...usages, 'What each does: docs/operate/runbook.md#commands'].join('\n')
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) {
    const unknown =
      name === '' ? [] : [`unknown command '${name}': must be ${Object.keys(COMMANDS).join(', ')}`]
    throw new Error([...unknown, 'usage:', ...usages].join('\n'))
  }
  const said = await command.run(databaseUrl, words)
  if (said === null) throw new Error(`usage:\n${lineOf(name, command.usage)}`)
  return said
}

function lineOf(name: string, usage: string): string {
  return `  npm run -s admin -- ${name} ${usage}`.trimEnd()
}

if (import.meta.main) {
  const args = process.argv.slice(2)
  await runProgram(async () => console.log(await administer(() => ownerUrl(args), withoutYes(args))))
}
