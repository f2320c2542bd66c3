import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Failure, isRecord, messageOf } from '../failure.ts'
import type { Event, Position } from './batches.ts'

const VERSION = 1
export const START: Position = {
  offset: 0,
  line: 0,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', // of nothing
}

/** How far a file is reported. */
export interface State {
  version: typeof VERSION
  base_url: string
  /** The lines before it had their response. */
  done: Position
  stored: number
  rejected: number
  /** What was sent and had no response: the lines up to `end`, or the events that were held back. */
  pending: { sent_at: string; end: Position | null } | null
  /** Events that a quota of a UTC day has rejected: they are sent before all others. */
  held: Event[]
  /** When they were rejected. */
  held_at: string | null
}

export function firstState(base_url: string): State {
  return {
    version: VERSION,
    base_url,
    done: START,
    stored: 0,
    rejected: 0,
    pending: null,
    held: [],
    held_at: null,
  }
}

/** Where a state is kept. */
export interface Keeper {
  read(): State | null
  write(state: State): void
  /** Lets other runs take the file. */
  release(): void
}

/** For an input that cannot be read again. */
export const noKeeper: Keeper = { read: () => null, write: () => undefined, release: () => undefined }

/**
 * Takes the state of a file for this process alone: two runs at once would cut different batches.
 *
 * @throws Failure when another run has it, or it cannot be written
 */
export function takeState(path: string): Keeper {
  const lock = `${path}.lock`
  takeLock(lock)
  return {
    read: () => readState(path),
    write(state) {
      const fresh = `${path}.new`
      try {
        writeFileSync(fresh, `${JSON.stringify(state)}\n`, { flush: true })
        renameSync(fresh, path)
      } catch (error) {
        throw unwritable(path, error)
      }
    },
    release: () => rmSync(lock, { force: true }),
  }
}

function takeLock(lock: string): void {
  for (const isLast of [false, true]) {
    try {
      const file = openSync(lock, 'wx')
      writeFileSync(file, String(process.pid))
      closeSync(file)
      return
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw unwritable(lock, error)
      const pid = Number(readText(lock))
      if (isLast || isAlive(pid)) {
        throw new Failure(`this file is being reported by another run, process ${pid}`, {
          next: `wait for it; if that process is not agentreg, delete ${lock}`,
        })
      }
      rmSync(lock, { force: true }) // a killed run has left it
    }
  }
}

function readState(path: string): State | null {
  const text = readText(path)
  if (text === null) return null
  const state = parse(text)
  if (isRecord(state) && state.version === VERSION && isRecord(state.done)) return state as unknown as State // written by takeState: nobody else has that version
  throw new Failure(`${path} is not a state file of a report`, {
    next: 'restore it, or set another file with --state; without it, events may be stored twice',
  })
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw new Failure(`cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function unwritable(path: string, cause: unknown): Failure {
  return new Failure(`cannot write ${path}: ${messageOf(cause)}`, {
    next: 'set a writable file with --state',
    cause,
  })
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}
