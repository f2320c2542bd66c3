import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Failure } from './failure.ts'

/**
 * Reads a secret without echo, or all of standard input if it is not a terminal.
 *
 * @param prompt shown on a terminal
 */
export async function readSecret(prompt: string): Promise<string> {
  if (process.stdin.isTTY !== true) return (await text(process.stdin)).trim()
  process.stderr.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 })
  const left = new AbortController()
  reader.on('SIGINT', () => left.abort())
  reader.on('close', () => left.abort())
  try {
    return (await reader.question('', { signal: left.signal })).trim()
  } catch {
    throw new Failure('nothing was entered')
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}

/**
 * Asks for confirmation before something that cannot be undone.
 *
 * @param isGiven whether `--yes` was given
 * @throws Failure when it is not confirmed
 */
export async function confirm(question: string, isGiven: boolean | undefined): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Failure(question, { next: 'add --yes to confirm' })
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const said = await reader.question(`${question} [y/N] `)
    if (!/^y(es)?$/i.test(said.trim())) throw new Failure('nothing was changed')
  } finally {
    reader.close()
  }
}

/** Is aborted when the user stops the program, which then ends by itself. */
export function untilStopped(): AbortSignal {
  const ended = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort())
  return ended.signal
}

/** Opens a URL in the browser, if there is one: `BROWSER`, else that of the system. */
export function openBrowser(url: string): void {
  const command = process.env.BROWSER || systemOpener()
  if (!command) return
  const child = spawn(command, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined) // the URL is also printed
  child.unref()
}

function systemOpener(): string | null {
  if (process.platform === 'darwin') return 'open'
  if (process.platform === 'win32') return 'explorer'
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.env.WSL_DISTRO_NAME ? 'xdg-open' : null
}
