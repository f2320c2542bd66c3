import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { writeAtomically } from './file.ts'
import { kill, type Launched, launch } from './process.ts'

const ROOT = join(import.meta.dirname, '..')
const START_MS = 60_000
const STOP_MS = 5_000
const POLL_MS = 50
const TAIL_CHARACTERS = 4_000
const ERROR_LINES = 10
// Wrangler then restarts its runtime, but the new one sometimes never responds.
const CRASHED = 'runtime crashed unexpectedly'

// Sends nothing to the network, and writes nothing to the home folder or the terminal.
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true', // also disables the check for updates
  WRANGLER_WRITE_LOGS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
}

export interface Worker {
  url: string
  /** Resolves with a message if wrangler exits on its own or its runtime crashes. */
  lost: Promise<string>
  /** Ends the Worker immediately, like a crash. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface WorkerOptions {
  dir: string
  port: number
  vars: Record<string, string>
  signal?: AbortSignal
}

/** The log of the Worker, in the folder of its stack. */
export const LOG_FILE = 'worker.log'

/** The settings of the Worker, in the folder of its stack. */
export const SETTINGS_FILE = 'worker.env'

/** Writes the settings of the Worker to the folder of its stack (0600). */
export function writeSettings(dir: string, vars: Record<string, string>): string {
  const file = join(dir, SETTINGS_FILE)
  const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'`)
  writeAtomically(file, `${lines.join('\n')}\n`)
  return file
}

/**
 * Runs the Worker with `wrangler dev`, and waits until it responds.
 *
 * @param dir folder of its settings (`worker.env`, 0600), log and state
 * @param vars its settings
 * @param signal aborts the wait
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
  let tail = ''
  for (const stream of [wrangler.child.stdout, wrangler.child.stderr]) {
    stream?.on('data', (piece: Buffer) => {
      appendFileSync(logFile, piece)
      tail = stripVTControlCharacters(tail + piece.toString()).slice(-TAIL_CHARACTERS)
      if (tail.includes(CRASHED) && wrangler.child.pid) kill(-wrangler.child.pid, 'SIGKILL')
    })
  }
  const url = `http://localhost:${port}`
  if (!(await responds(url, wrangler, () => tail, signal))) {
    await wrangler.end('SIGKILL', STOP_MS)
    signal?.throwIfAborted()
    throw new Error(`the Worker did not start; from ${logFile}:\n${errorIn(tail)}`)
  }
  return {
    url,
    lost: wrangler.lost.then((how) => {
      const reason = tail.includes(CRASHED) ? 'its runtime crashed' : how
      return `the Worker exited (${reason}): see ${logFile}`
    }),
    kill: () => wrangler.end('SIGKILL', STOP_MS),
    stop: () => wrangler.end('SIGTERM', STOP_MS),
  }
}

/** The output of wrangler from its first error on, else its last lines. */
function errorIn(output: string): string {
  const error = output.indexOf('[ERROR]')
  return error < 0 ? output.trim().split('\n').slice(-ERROR_LINES).join('\n') : output.slice(error).trim()
}

/** Whether the Worker responds in time; wrangler's output shows that this process, not another, uses the port. */
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
