import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import {
  type MonitorOptions,
  type MonitorState,
  monitorLog,
  parseMonitorState,
} from '../../../verify/index.ts'
import { contextOf, outputOf, readBaseUrl } from '../context.ts'
import type { Output } from '../output.ts'
import { nodeSha256 } from '../verify/proofs.ts'
import { STATUS } from '../verify/show.ts'
import { readState, writeState } from '../verify/state.ts'
import { readTrust, type TrustWords } from '../verify/trust.ts'

const WAIT_SECONDS = 3 * 3_600 // a million leaves take seven minutes at the limit of requests
const UNIT_SECONDS = { s: 1, m: 60, h: 3_600 }
const INTERVAL = /^(\d{1,6})([smh])$/
const INTERVAL_MAX_SECONDS = 24 * 86_400 // a longer timer would fire at once

interface Options extends TrustWords {
  state?: string
  every?: number
}

/** Adds the command that monitors the log of a registry. */
export function addMonitor(program: Command): void {
  program
    .command('monitor')
    .argument('[url]', 'the registry; default: that of the other commands')
    .summary('watch the transparency log of a registry')
    .description(
      'Reads what the transparency log of a registry has added since the last run, and verifies that the log only grows, that its leaves result in the signed root, that every event and revision has the next number, that new leaves of operators, platforms, and keys are listed, and that no restore is new. Prints one JSON object per finding. Requires no login.',
    )
    .option('--state <file>', 'what earlier runs have seen; without it, the whole log is read')
    .option(
      '--every <interval>',
      'repeat after an interval, such as 5m, until the command is stopped',
      readInterval,
    )
    .option('--accept-restore <range>', 'a restore whose reason is known; others are a finding once')
    .option('--vkey <key>', 'the key of the log, from a source that you trust')
    .option('--witness <file>', 'a trust policy (C2SP tlog-policy): which witnesses must have signed the log')
    .addHelpText(
      'after',
      '\nStatus:\n  0  no findings\n  1  findings: keep the output and the state file\n  2  the log could not be read completely\n\n' +
        'Example:\n  agentreg monitor https://registry.example --state monitor.json --every 5m',
    )
    .action(async (url: string | undefined, options: Options, command: Command) => {
      const baseUrl = url === undefined ? contextOf(command).baseUrl : readBaseUrl(url)
      const output = outputOf(command)
      const trust = await readTrust(options)
      let state = readState(options.state, parseMonitorState)
      for (let isFirst = true; isFirst || options.every !== undefined; isFirst = false) {
        if (!isFirst) await sleep(1000 * (options.every ?? 0))
        const run = await monitor(output, baseUrl, state, trust)
        state = run.state ?? state
        if (run.state && options.state) writeState(options.state, run.state)
        // Of several runs, a finding decides the status.
        if (process.exitCode !== STATUS.failed) process.exitCode = STATUS[run.verdict]
      }
    })
}

async function monitor(
  { out, err }: Output,
  baseUrl: string,
  state: MonitorState | null,
  trust: MonitorOptions,
) {
  const run = await monitorLog(baseUrl, state, { ...trust, sha256: nodeSha256, maxWaitSeconds: WAIT_SECONDS })
  const at = new Date().toISOString()
  for (const { name, ok, detail } of run.checks)
    for (const finding of ok === false ? detail.split('\n') : [])
      out.line(JSON.stringify({ at, registry: baseUrl, check: name, finding }))
  const told = run.checks.filter(({ name, ok }) => ok === null || (ok && name === 'leaves'))
  err.line(`${at} ${run.verdict}: ${told.map(({ detail }) => detail).join('; ')}`)
  for (const note of run.notes) err.line(`note: ${note}`)
  return run
}

function readInterval(word: string): number {
  const [, count, unit] = INTERVAL.exec(word) ?? []
  const seconds = Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS]
  if (seconds > 0 && seconds <= INTERVAL_MAX_SECONDS) return seconds
  throw new InvalidArgumentError('must be an interval of at most 24 days, such as 90s, 5m, or 1h')
}
