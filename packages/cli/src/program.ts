import { Command, CommanderError } from 'commander'
import { RegistryError } from '../../client/index.ts'
import { addAgentKeys } from './commands/agent-keys.ts'
import { addAgents } from './commands/agents.ts'
import { addDeliveries } from './commands/deliveries.ts'
import { addDomain } from './commands/domain.ts'
import { addIncidents } from './commands/incidents.ts'
import { addKeys } from './commands/keys.ts'
import { addListen } from './commands/listen.ts'
import { addLogin } from './commands/login.ts'
import { addMcp } from './commands/mcp.ts'
import { addMonitor } from './commands/monitor.ts'
import { addPlatforms } from './commands/platforms.ts'
import { addReport } from './commands/report.ts'
import { addSessions } from './commands/sessions.ts'
import { addTrigger } from './commands/trigger.ts'
import { addVerify } from './commands/verify.ts'
import { EXIT, toFailure } from './failure.ts'
import { makeOutput, plain } from './output.ts'
import { version } from './version.ts'

/**
 * Runs a command.
 *
 * @param words of the command line, without the program
 * @returns its exit status
 */
export async function runProgram(words: readonly string[]): Promise<number> {
  try {
    process.exitCode = EXIT.ok
    await makeProgram(words.includes('--json')).parseAsync(asHelp(words), { from: 'user' })
    return Number(process.exitCode)
  } catch (error) {
    return tell(error, words)
  }
}

/** `help agents create` as `agents create --help`: commander knows only one word after `help`. */
function asHelp(words: readonly string[]): string[] {
  const [first, ...others] = words
  return first === 'help' && others.length > 1 ? [...others, '--help'] : [...words]
}

/** Prints to standard error why a command failed and what to do; returns the exit status. */
function tell(error: unknown, words: readonly string[]): number {
  const isJson = words.includes('--json')
  const isOfUse = error instanceof CommanderError
  if (isOfUse && (error.exitCode === 0 || !isJson)) return error.exitCode === 0 ? EXIT.ok : EXIT.stopped // commander has printed it
  const { err } = makeOutput({ isJson, wantsColor: !words.includes('--no-color') })
  const { message, next, status } = toFailure(error)
  if (isJson) {
    const ofResponse = error instanceof RegistryError ? (error.code ?? `HTTP_${error.status}`) : undefined
    const code = isOfUse ? 'USAGE' : ofResponse
    err.line(JSON.stringify({ error: { code, message: isOfUse ? ofUse(message) : message, next } }))
    return status
  }
  err.line(`${err.style('red', 'error')}: ${plain(message)}`)
  if (next) err.line(`${err.style('dim', ' next')}: ${plain(next)}`)
  return status
}

/** The message of commander without its label; it has none for a missing command. */
function ofUse(message: string): string {
  return message === '(outputHelp)' ? 'a command is missing: see --help' : message.replace(/^error: /, '')
}

/** Creates the command line. It throws commander's errors instead of exiting; for `isJson`, without printing them. */
function makeProgram(isJson: boolean): Command {
  const program = new Command('agentreg')
    .description('The agent registry from the command line: agents, reports, webhooks and verification.')
    .version(version, '--version', 'print the version')
    .option('--base-url <url>', 'the registry; default: AGENTREG_BASE_URL, else that of the last login')
    .option('--profile <name>', 'one of several logins at a registry; default: AGENTREG_PROFILE')
    .option('--json', 'print data as JSON')
    .option('--no-color', 'print without colors, as with NO_COLOR')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .configureHelp({
      showGlobalOptions: true,
      optionTerm: ({ flags, mandatory }) => `${flags}${mandatory ? ' (required)' : ''}`,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(see --help)')
    .configureOutput(isJson ? { writeErr: () => undefined } : {})
    .exitOverride()
  program.addHelpText(
    'after',
    '\nFirst steps:\n' +
      '  agentreg login --base-url https://registry.example\n' +
      '  agentreg agents create "Invoice Reader" --class A\n' +
      '  agentreg keys create reporter --permission activity:report --save\n' +
      '  agentreg report -f events.ndjson',
  )
  addLogin(program)
  addAgents(program)
  addKeys(program)
  addAgentKeys(program)
  addReport(program)
  addVerify(program)
  addIncidents(program)
  addDomain(program)
  addMonitor(program)
  addPlatforms(program)
  addListen(program)
  addTrigger(program)
  addDeliveries(program)
  addSessions(program)
  addMcp(program)
  return program
}
