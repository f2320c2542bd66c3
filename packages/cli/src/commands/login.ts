import type { Command } from 'commander'
import { RegistryError, unwrap } from '../../../client/index.ts'
import { action, type Context, connect } from '../context.ts'
import { credentialsPath, forget, store } from '../credentials.ts'
import { EXIT, Failure } from '../failure.ts'
import { many, plain, printFacts } from '../output.ts'
import { openBrowser, readSecret } from '../terminal.ts'

const PROGRAM = 'CLI'
const TOKEN = /^reg_sess_[0-9A-Za-z]{59}$/

/** Adds the commands to sign in and out. */
export function addLogin(program: Command): void {
  program
    .command('login')
    .summary('sign in to a registry with a token from its console')
    .description(
      'Signs in to a registry. Opens the console page on which you create a token for a program; paste the token here.\n' +
        'It is valid for 30 days, and is stored in a file that only you can read. Without a terminal, the token is read from standard input.',
    )
    .option('--no-browser', 'only print the URL of the page')
    .addHelpText(
      'after',
      '\nExamples:\n  agentreg login --base-url https://registry.example\n  agentreg login --base-url https://registry.example < token.txt',
    )
    .action(action(login))
  program
    .command('logout')
    .summary('end the session')
    .description('Revokes the session, and deletes everything that is stored for it on this machine.')
    .action(action(logout))
  program
    .command('whoami')
    .summary('show who is signed in, and where')
    .description('Shows the operator who is signed in, and what the tier allows.')
    .action(action(whoami))
}

async function login(context: Context, { browser }: { browser: boolean }): Promise<void> {
  const { baseUrl, err } = context
  if (process.stdin.isTTY) {
    const page = `${baseUrl}/console/account?token_name=${PROGRAM}#tokens`
    err.line(`Create a token for a program on this page, and copy it:\n\n  ${page}\n`)
    if (browser) openBrowser(page)
  }
  const token = await readSecret('Token: ')
  if (token.startsWith('reg_live_')) {
    throw new Failure('that is an API key; a login requires a session token, which begins with reg_sess_', {
      next: 'to report with this key, set AGENTREG_API_KEY',
    })
  }
  if (!TOKEN.test(token))
    throw new Failure('that is not a session token, which has 68 characters and begins with reg_sess_')
  const { email, tier } = await unwrap(connect(baseUrl, { token }).GET('/operators/me'))
  store(context, { token, email })
  context.data({ base_url: baseUrl, email, tier }, (out) =>
    out.line(`Signed in to ${baseUrl} as ${plain(email)} (${tier}).`),
  )
  err.line(err.style('dim', `The token is stored in ${credentialsPath()}`))
}

async function logout(context: Context): Promise<number | undefined> {
  const { baseUrl, stored, err } = context
  if (!stored) {
    err.line(`You are not signed in to ${baseUrl}.`)
    return
  }
  const { token, api_key } = stored
  let isEnded = true
  if (token) {
    const client = connect(baseUrl, { token })
    try {
      await unwrap(client.DELETE('/auth/session'))
    } catch (error) {
      isEnded = error instanceof RegistryError && error.code === 'UNAUTHORIZED'
    }
  }
  forget(context)
  if (api_key) {
    err.line(
      `The API key ${plain(api_key.name)} is deleted on this machine but stays valid; to revoke it: agentreg keys revoke ${api_key.id}`,
    )
  }
  context.data({ base_url: baseUrl, session_ended: isEnded }, (out) => out.line(`Signed out of ${baseUrl}.`))
  if (isEnded) return
  err.line(
    `The session could not be revoked and is still valid; revoke it at ${baseUrl}/console/account#sessions`,
  )
  return EXIT.no
}

async function whoami(context: Context): Promise<void> {
  const me = await unwrap(context.operator().GET('/operators/me'))
  const { api_key } = context.stored ?? {}
  const session = process.env.AGENTREG_TOKEN ? 'AGENTREG_TOKEN' : credentialsPath()
  const key = process.env.AGENTREG_API_KEY ? 'AGENTREG_API_KEY' : (api_key?.name ?? 'none')
  context.data({ base_url: context.baseUrl, profile: context.profile, operator: me }, (out) =>
    printFacts(out, [
      ['Registry', context.baseUrl],
      ['Operator', me.email],
      ['Name', `${me.name}${me.name_verified ? ' (verified)' : ''}`],
      ['Status', me.status],
      ['Identity', me.kyc_status],
      ['Tier', `${me.tier}: ${many(me.agent_limit, 'active agent')} at most`],
      ['Token from', session],
      ['Key for reports', key],
    ]),
  )
}
