import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Failure } from './failure.ts'

/** Whether a person can be asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/**
 * Reads a secret: typed or pasted without an echo, or the whole of standard input where that is no terminal.
 *
 * @param prompt what a person is asked
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
 * Asks before something that cannot be undone.
 *
 * @param isGiven whether `--yes` was given
 * @throws Failure when nobody agrees
 */
export async function confirm(question: string, isGiven: boolean | undefined): Promise<void> {
  if (isGiven) return
  if (!isInteractive()) throw new Failure(question, { next: 'add --yes to confirm' })
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const said = await reader.question(`${question} [y/N] `)
    if (!/^y(es)?$/i.test(said.trim())) throw new Failure('nothing was changed')
  } finally {
    reader.close()
  }
}

/** Opens an address in the browser of the person, where there is one: `BROWSER`, or what the system has for it. */
export function openBrowser(url: string): void {
  const command = process.env.BROWSER || systemOpener()
  if (!command) return
  const child = spawn(command, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined) // the address is printed as well
  child.unref()
}

function systemOpener(): string | null {
  if (process.platform === 'darwin') return 'open'
  if (process.platform === 'win32') return 'explorer'
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.env.WSL_DISTRO_NAME ? 'xdg-open' : null
}
