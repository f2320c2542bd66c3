import type { Command } from 'commander'
import { isObject } from '../../../../src/transparency/bytes.ts'
import { unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { EXIT, type ExitStatus, Failure } from '../failure.ts'
import { plain, printFacts } from '../output.ts'
import { addList } from '../paging.ts'

const TIMEOUT_MS = 15_000

/** Adds the commands for sessions, and for the state of the registry. */
export function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('Your sign-ins, and tokens of programs.')
  addList(
    sessions.command('list').description('Lists your active sessions, newest first.'),
    (context, query) => context.operator().GET('/auth/sessions', { params: { query } }),
    {
      ID: (one) => one.id,
      NAME: (one) => one.name,
      CREATED: (one) => one.created_at,
      EXPIRES: (one) => one.expires_at,
      'THIS ONE': (one) => (one.current ? 'yes' : ''),
    },
    'You have no sessions.',
  )
  sessions
    .command('end')
    .argument('<id>', 'the id of the session')
    .description('Ends one of your sessions at once.')
    .action(action(endSession))
  program
    .command('status')
    .description('Shows whether the registry works. Needs no login.')
    .action(action(showStatus))
}

async function endSession(context: Context, id: string): Promise<void> {
  await unwrap(context.operator().DELETE('/auth/sessions/{id}', { params: { path: { id } } }))
  context.data({ ended: id }, (out) => out.line(`Ended ${plain(id)}.`))
}

async function showStatus(context: Context): Promise<ExitStatus> {
  const url = `${context.baseUrl}/ready`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
    throw new Failure(`no response from ${context.baseUrl}`, { cause })
  })
  const ready: unknown = await response.json().catch(() => null)
  if (!isReady(ready)) throw new Failure(`${url} is not the status of an agent registry`)
  context.data(ready, (out) =>
    printFacts(out, [
      ['Registry', context.baseUrl],
      ['Status', ready.status],
      ['Database', ready.postgres],
      ['Rate limits', ready.redis],
      ['Webhooks', ready.qstash],
    ]),
  )
  return ready.status === 'ok' ? EXIT.ok : EXIT.no
}

type Ready = Record<'status' | 'postgres' | 'redis' | 'qstash', string>

function isReady(body: unknown): body is Ready {
  return isObject(body) && 'status' in body && 'postgres' in body
}
