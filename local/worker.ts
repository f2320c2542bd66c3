import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = new URL('..', import.meta.url).pathname
const START_MS = 60_000
const STOP_MS = 5_000
const POLL_MS = 100

export interface Worker {
  url: string
  /** Ends the Worker at once, as a crash would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Runs the Worker with `wrangler dev`, and waits until it answers.
 *
 * @param dir where its settings (`worker.env`, 0600), its log and its state go
 * @param vars its settings
 * @throws Error with the end of the log when it does not start
 */
export async function startWorker(options: {
  dir: string
  port: number
  vars: Record<string, string>
}): Promise<Worker> {
  const { dir, port, vars } = options
  const envFile = join(dir, 'worker.env')
  const logFile = join(dir, 'worker.log')
  const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'`)
  writeFileSync(envFile, `${lines.join('\n')}\n`, { mode: 0o600 })
  const logged = createWriteStream(logFile, { flags: 'a' })
  const wrangler = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
  const state = join(dir, 'wrangler')
  const flags = ['--port', String(port), '--env-file', envFile, '--persist-to', state]
  const child = spawn(process.execPath, [wrangler, 'dev', ...flags, '--show-interactive-dev-session=false'], {
    cwd: ROOT,
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let tail = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      logged.write(chunk)
      tail = (tail + chunk.toString()).slice(-4_000)
    })
  }
  const url = `http://localhost:${port}`
  const worker = {
    url,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  }
  try {
    await answering(url, child)
  } catch {
    await worker.kill()
    throw new Error(`the Worker did not start; the end of ${logFile}:\n${tail}`)
  }
  return worker
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(POLL_MS)) {
    if (child.exitCode !== null) break
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
    if (response?.ok) return
  }
  throw new Error('no answer')
}

/** Ends wrangler and the workerd that it has started: they are one process group. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const running = child.exitCode === null && child.signalCode === null
  signalGroup(pid, signal)
  if (running) await Promise.race([gone, sleep(STOP_MS, undefined, { ref: false })])
  signalGroup(pid, 'SIGKILL')
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // the group is gone
  }
}
