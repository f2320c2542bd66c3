import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { writeWhole } from './file.ts'
import { openLog } from './log-file.ts'
import { kill, type Launched, launch } from './process.ts'

const ROOT = join(import.meta.dirname, '..')
const START_MS = 60_000
const STOP_MS = 5_000
const POLL_MS = 50
const TAIL_CHARACTERS = 4_000
const COMPLAINT_LINES = 10
// Wrangler starts its runtime again then, but the new one has been seen to leave every request without a response.
const CRASHED = 'runtime crashed unexpectedly'

// Nothing leaves the machine, and nothing is written to the home folder or the terminal.
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true', // and with it the question to npm for a newer version
  WRANGLER_WRITE_LOGS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
}

export interface Worker {
  url: string
  /** Resolves with a sentence when wrangler has ended by itself, or its runtime has crashed. */
  lost: Promise<string>
  /** Ends the Worker at once, as a crash would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface WorkerOptions {
  dir: string
  port: number
  vars: Record<string, string>
  signal?: AbortSignal
}

/** The Worker's log, in the folder of its stack. */
export const LOG_FILE = 'worker.log'

/** A Worker's settings, in the folder of its stack. */
export const SETTINGS_FILE = 'worker.env'

/** Writes a Worker's settings into the folder of its stack (0600). */
export function writeSettings(dir: string, vars: Record<string, string>): string {
  const file = join(dir, SETTINGS_FILE)
  const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'`)
  writeWhole(file, `${lines.join('\n')}\n`)
  return file
}

/**
 * Runs the Worker with `wrangler dev`, and waits until it responds.
 *
 * @param dir where its settings (`worker.env`, 0600), its log and its state go
 * @param vars its settings
 * @param signal ends the wait
 * @throws Error with the end of the log when it does not start
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { dir, port, vars, signal } = options
  const logFile = join(dir, LOG_FILE)
  const envFile = writeSettings(dir, vars)
  const state = join(dir, 'wrangler')
  const program = [join(ROOT, 'node_modules/wrangler/bin/wrangler.js'), 'dev']
  const listen = ['--ip', 'localhost', '--port', String(port), '--inspector-port', '0']
  const files = ['--env-file', envFile, '--persist-to', state]
  const wrangler = launch(
    process.execPath,
    [...program, ...listen, ...files, '--show-interactive-dev-session=false'],
    {
      cwd: ROOT,
      env: { ...process.env, ...QUIET, WRANGLER_REGISTRY_PATH: join(state, 'registry') },
      stdio: ['ignore', 'pipe', 'pipe'],
      lastSignal: 'KILL',
    },
  )
  const log = openLog(logFile)
  let tail = ''
  for (const stream of [wrangler.child.stdout, wrangler.child.stderr]) {
    stream?.on('data', (piece: Buffer) => {
      log(piece)
      tail = stripVTControlCharacters(tail + piece.toString()).slice(-TAIL_CHARACTERS)
      if (tail.includes(CRASHED) && wrangler.child.pid) kill(-wrangler.child.pid, 'SIGKILL')
    })
  }
  const url = `http://localhost:${port}`
  if (!(await responds(url, wrangler, () => tail, signal))) {
    await wrangler.end('SIGKILL', STOP_MS)
    signal?.throwIfAborted()
    throw new Error(`the Worker did not start; from ${logFile}:\n${complaint(tail)}`)
  }
  return {
    url,
    lost: wrangler.lost.then((how) => {
      const reason = tail.includes(CRASHED) ? 'its runtime crashed' : how
      return `the Worker has ended (${reason}): see ${logFile}`
    }),
    kill: () => wrangler.end('SIGKILL', STOP_MS),
    stop: () => wrangler.end('SIGTERM', STOP_MS),
  }
}

/** What wrangler complains of: from its first error on, else its last lines. */
function complaint(output: string): string {
  const error = output.indexOf('[ERROR]')
  return error < 0 ? output.trim().split('\n').slice(-COMPLAINT_LINES).join('\n') : output.slice(error).trim()
}

/** Whether the Worker responds in time; only wrangler's own word tells that it is ours and not another's. */
async function responds(url: string, wrangler: Launched, output: () => string, signal?: AbortSignal) {
  const over = () => !wrangler.isAlive() || signal?.aborted || output().includes('Build failed')
  let isReady = false
  for (const until = Date.now() + START_MS; Date.now() < until && !over(); await sleep(POLL_MS)) {
    isReady ||= output().includes(`Ready on ${url}`)
    if (!isReady) continue
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return true
  }
  return false
}
