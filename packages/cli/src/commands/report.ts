import { appendFileSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { action, type Context } from '../context.ts'
import { EXIT, Failure, isTemporary, messageOf } from '../failure.ts'
import { many, plain } from '../output.ts'
import type { Problem } from '../report/batches.ts'
import { type End, report, type Step } from '../report/run.ts'
import type { Warning } from '../report/send.ts'
import { noKeeper, takeState } from '../report/state.ts'

const SHOWN_MAX = 20
const PROGRESS_EVENTS = 10_000
const RECEIPTS = { Prefer: 'return=receipt' }

interface Options {
  file: string
  state?: string
  run?: string
  rejected?: string
  receipts?: boolean
  unconfirmed?: 'resend' | 'skip'
}

/** Adds the command that reports events from a file. */
export function addReport(program: Command): void {
  program
    .command('report')
    .summary('report the events of a file')
    .description(
      'Reports the events of a file with one JSON object per line (NDJSON), in order, 1,000 per request. The progress is stored in FILE.state: if a run was stopped, or lines were added at the end, the next run continues from there and reports each line once. Events are permanent.\n\n' +
        'Requires an API key with the permission to report: agentreg keys create reporter --permission activity:report --save',
    )
    .requiredOption('-f, --file <file>', 'the file, or - for standard input, which has no state')
    .option('--state <file>', 'where to store the progress; defaults to FILE.state')
    .option('--run <name>', 'distinguishes this input from another one with the same lines')
    .option('--rejected <file>', 'append the lines that are not stored to this file, for correction')
    .option('--receipts', 'append the signed receipt of each request to FILE.receipts')
    .addOption(
      new Option(
        '--unconfirmed <what>',
        'what to do with lines that were sent more than 24 hours ago without a response',
      ).choices(['resend', 'skip']),
    )
    .addHelpText(
      'after',
      '\nA line:\n  {"reg":"REG-2026-0001-0042-U","event_type":"task_completed","metadata":{"response_ms":900}}\n\nStatus:\n  0  every line is stored\n  1  some lines are not stored; each is named with its reason\n' +
        '  2  stopped before the end: run the same command again\n\n' +
        'Example:\n  agentreg report -f events.ndjson',
    )
    .action(action(reportFile))
}

interface Totals {
  stored: number
  replayed: number
  problems: Omit<Problem, 'text'>[]
  warnings: Warning[]
}

async function reportFile(context: Context, options: Options): Promise<number> {
  const { file, run = '', unconfirmed } = options
  const path = file === '-' ? null : file
  if (path !== null) requireFile(path)
  const statePath = options.state ?? (path === null ? undefined : `${path}.state`)
  if (path === null && statePath !== undefined)
    throw new Failure('--state: standard input cannot be read a second time', {
      next: 'write it to a file first',
    })
  if (path === null && options.receipts)
    throw new Failure('--receipts: standard input has no state, and no receipts', {
      next: 'write it to a file first',
    })
  const keeper = statePath === undefined ? noKeeper : takeState(statePath)
  const totals: Totals = { stored: 0, replayed: 0, problems: [], warnings: [] }
  try {
    const client = context.reporter(
      (seconds) => context.err.line(`The rate limit of the key is reached: continuing in ${seconds} s.`),
      options.receipts ? RECEIPTS : {},
    )
    const end = await report({
      client,
      baseUrl: context.baseUrl,
      input: { path, run },
      keeper,
      unconfirmed,
      tell: (step) => note(context, totals, step, options),
    })
    return conclude(context, totals, end, file)
  } catch (error) {
    throw stopped(error, totals)
  } finally {
    keeper.release()
  }
}

function requireFile(path: string): void {
  try {
    if (statSync(path).isFile()) return
  } catch (error) {
    throw new Failure(`cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
  throw new Failure(`${path} is not a file`)
}

/** Updates the totals, stores the receipt, and prints rejected lines, warnings, and every 10,000 events the progress. */
function note(context: Context, totals: Totals, step: Step, { file, rejected, receipts }: Options): void {
  const { err, isJson } = context
  for (const { line, code, message, text } of step.problems) {
    if (!isJson && totals.problems.length < SHOWN_MAX)
      err.line(`line ${line}: ${err.style('red', 'not stored')}: ${plain(message)}`)
    totals.problems.push({ line, code, message })
    if (rejected !== undefined) appendFileSync(rejected, `${text}\n`)
  }
  for (const { line, code, message } of step.warnings) {
    if (!isJson && totals.warnings.length < SHOWN_MAX)
      err.line(`line ${line}: ${err.style('yellow', 'warning')}: ${plain(message)}`)
    totals.warnings.push({ line, code, message })
  }
  if (step.receipt !== undefined) appendFileSync(`${file}.receipts`, `${step.receipt}\n`)
  else if (receipts && step.stored > 0) err.line('The registry returned no receipt (--receipts).')
  const told = Math.floor(totals.stored / PROGRESS_EVENTS)
  totals.stored += step.stored
  if (!isJson && Math.floor(totals.stored / PROGRESS_EVENTS) > told)
    err.line(`${many(totals.stored, 'event')} stored so far.`)
  totals.replayed += step.replayed
}

function conclude(context: Context, totals: Totals, { state, unfinished }: End, file: string): number {
  const { stored, replayed, problems, warnings } = totals
  const summary = {
    file,
    lines: state.done.line,
    stored: stored - replayed,
    stored_before: state.stored - stored + replayed,
    rejected: problems.length,
    rejected_before: state.rejected - problems.length,
    waiting: state.held.length,
    is_complete: state.held.length === 0,
    errors: problems,
    warnings,
  }
  context.data(summary, (out) => {
    const before = summary.stored_before > 0 ? `, ${many(summary.stored_before, 'event')} before` : ''
    const rejected = summary.rejected_before > 0 ? `, ${many(summary.rejected_before, 'line')} before` : ''
    out.line(
      `${many(summary.stored, 'event')} stored${before}, ${many(problems.length, 'line')} not stored${rejected}.`,
    )
  })
  tellRest(context, totals)
  const { err } = context
  if (unfinished !== null) err.line(`Line ${unfinished} is incomplete: it is left for the next run.`)
  if (stored > 0 && stored === replayed) {
    err.line(
      'All events were already stored. If these are different events with the same lines, add --run NAME',
    )
  }
  if (state.held.length > 0) {
    err.line(`${many(state.held.length, 'event')} exceed the quota of your tier for an agent and UTC day.`)
    err.line('Run the same command again after 00:00 UTC to report the rest.')
    return EXIT.stopped
  }
  return problems.length > 0 ? EXIT.no : EXIT.ok
}

function tellRest({ err, isJson }: Context, { problems, warnings }: Totals): void {
  if (isJson) return
  const more = problems.length - SHOWN_MAX
  if (more > 0) err.line(`… and ${many(more, 'more line')}: --json lists all, --rejected stores them`)
  if (warnings.length > SHOWN_MAX) err.line(`… and ${many(warnings.length - SHOWN_MAX, 'more warning')}`)
}

/** Adds to a failure how to continue. */
function stopped(error: unknown, { stored }: Totals): unknown {
  if (!isTemporary(error) || stored === 0) return error
  return new Failure(`${messageOf(error)}; ${many(stored, 'event')} stored so far`, {
    next: 'run the same command again: it continues from there',
    cause: error,
  })
}
