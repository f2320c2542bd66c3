import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { LONG } from '../support/stack.ts'
import { copyTemplate, makeTemplate } from '../support/template.ts'
import { testFolders } from '../support/test-folder.ts'
import { again } from '../support/variant.ts'
import { type Process, survivorsOf } from './processes.ts'

export const ROOT = join(import.meta.dirname, '../..')
export const START_MS = 120_000
export const END_MS = 60_000

const CLEAN = {
  PORT: '',
  QSTASH_TIME_SCALE: '',
  DATABASE_URL: '',
  REDIS_URL: '',
  QSTASH_URL: '',
  npm_lifecycle_event: '',
}

export interface Dev {
  child: ChildProcess
  pid: number
  dir: string
  port: number
  output(): string
  /** Resolves when the text is printed, rejects when the stack ends before. */
  says(text: string): Promise<void>
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string | null>
}

const running = new Set<Dev>()
export const newFolder = testFolders()
let template = ''

/** Creates the database that `madeFolder` copies, if the test run has not created one. */
export async function prepare(): Promise<void> {
  vi.stubEnv('DATABASE_URL', undefined)
  template = process.env.TEST_DATABASE ?? newFolder()
  if (!process.env.TEST_DATABASE) await makeTemplate(template)
}

/** A folder with an existing database, in which the stack starts faster. */
export async function madeFolder(): Promise<string> {
  const dir = newFolder()
  await copyTemplate(template, join(dir, 'postgres'))
  return dir
}

/** Runs the command of `npm run dev`. */
export async function dev(
  options: { dir?: string; port?: number; env?: Record<string, string>; shell?: boolean } = {},
): Promise<Dev> {
  const { dir = await madeFolder(), port = await freePort(), env = {}, shell = false } = options
  const command = [process.execPath, 'local/dev.ts']
  const child = spawn(
    shell ? `${command.join(' ')}; true` : process.execPath,
    shell ? [] : command.slice(1),
    {
      cwd: ROOT,
      shell,
      detached: true,
      env: { ...process.env, ...CLEAN, ...LONG, LOCAL_DIR: dir, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      output += piece
    })
  }
  const one: Dev = {
    child,
    pid: child.pid ?? 0,
    dir,
    port,
    output: () => output,
    says: (text) =>
      vi.waitFor(
        () => {
          if (!running.has(one) && !output.includes(text)) return Promise.reject(new Error(output))
          expect(output).toContain(text)
        },
        { timeout: START_MS, interval: 20 },
      ),
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(one)
        resolve(code ?? signal)
      })
    }),
  }
  running.add(one)
  return one
}

/** Starts the stack and waits until it is ready; retries once if another process took its port. */
export const readyDev = (options: Parameters<typeof dev>[0] = {}): Promise<Dev> =>
  again(async () => {
    const one = await dev(options)
    await one.says('Ready on ')
    return one
  })

export function run(script: string, args: string[], dir: string) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, ...CLEAN, LOCAL_DIR: dir }
    const child = execFile(process.execPath, [script, ...args], { cwd: ROOT, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout: stdout.trim(), stderr: stderr.trim() }),
    )
  })
}

export const health = async ({ port }: Dev) => (await fetch(`http://localhost:${port}/health`)).status
export const found = (processes: Process[], part: string) => {
  const pid = processes.find(({ command }) => command.includes(part))?.pid
  if (!pid) throw new Error(`no process: ${part}`)
  return pid
}
export const noneOf = (processes: Process[]) =>
  vi.waitFor(() => expect(survivorsOf(processes)).toEqual([]), { timeout: END_MS, interval: 50 })

/** Ends all running stacks. */
export async function endAll() {
  for (const one of running) {
    one.child.kill('SIGTERM')
    await one.ended
  }
}
