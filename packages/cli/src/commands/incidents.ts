import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Schemas, unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { type Printer, plain } from '../output.ts'
import { addList } from '../paging.ts'
import { untilStopped } from '../terminal.ts'
import { readReg } from '../words.ts'

const POLL_MS = 2_000

/** Adds the commands for incidents, and for the log of an agent. */
export function addIncidents(program: Command): void {
  const incidents = program.command('incidents').description('Incidents of agents.')
  addList(
    incidents
      .command('list')
      .argument('<reg>', 'the number of the agent', readReg)
      .description('Lists the incidents of an agent, newest first. Needs no login.'),
    (context, query, reg: string) =>
      context.anyone().GET('/agents/{reg}/incidents', { params: { path: { reg }, query } }),
    {
      ID: (one) => one.incident_id,
      SEVERITY: (one) => one.severity,
      STATUS: (one) => one.status,
      CREATED: (one) => one.created_at,
      'REPORTED BY': (one) => one.platform ?? one.reported_by,
      TITLE: (one) => one.title,
    },
    'There are no incidents.',
  )
  incidents
    .command('resolve')
    .argument('<id>', 'the id of the incident')
    .requiredOption('--resolution <text>', 'what was done; public')
    .description('Resolves an incident of one of your agents, permanently.')
    .action(action(resolveIncident))
  const logs = program.command('logs').description('The activity log of an agent.')
  logs
    .command('tail')
    .argument('<reg>', 'the number of the agent', readReg)
    .option('--no-follow', 'print the newest events, and stop')
    .description('Prints the newest events of an agent, then new ones. Needs no login. Ctrl-C stops it.')
    .action(action(tail))
}

async function resolveIncident(
  context: Context,
  id: string,
  { resolution }: { resolution: string },
): Promise<void> {
  const call = { params: { path: { id } }, body: { resolution } }
  const incident = await unwrap(context.operator().POST('/incidents/{id}/resolve', call))
  context.data(incident, (out) => out.line(`Resolved ${plain(incident.incident_id)}.`))
}

async function tail(context: Context, reg: string, { follow }: { follow: boolean }): Promise<void> {
  const { out, isJson } = context
  const hasSession = process.env.AGENTREG_TOKEN || context.stored?.token
  const client = hasSession ? context.operator() : context.anyone()
  const known = new Set<string>()
  const signal = untilStopped()
  do {
    const { data } = await unwrap(
      client.GET('/agents/{reg}/activity', { params: { path: { reg }, query: { per_page: 50 } } }),
    )
    for (const event of data.toReversed()) {
      if (known.has(event.id)) continue
      known.add(event.id)
      if (isJson) out.line(JSON.stringify(event))
      else printEvent(out, event)
    }
    if (follow) await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
  } while (follow && !signal.aborted)
}

function printEvent(out: Printer, event: Schemas['ListedActivityEvent']): void {
  const { created_at, event_type, source, metadata } = event
  out.line(
    `${created_at}  ${plain(event_type).padEnd(16)}  ${source.padEnd(11)}  ${plain(JSON.stringify(metadata))}`,
  )
}
