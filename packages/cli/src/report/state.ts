import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { isObject, parseObject } from '../../../../src/transparency/bytes.ts'
import { Failure, messageOf } from '../failure.ts'
import { findText, replaceFile } from '../files.ts'
import type { Event, Position } from './batches.ts'

const VERSION = 1
const START: Position = {
  offset: 0,
  line: 0,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', // of nothing
}

/** The progress of the report of a file. */
export interface State {
  version: typeof VERSION
  base_url: string
  /** The end of the lines that got a response. */
  done: Position
  stored: number
  rejected: number
  /** Sent without a response: the lines up to `end`, or, if null, the held events. */
  pending: { sent_at: string; end: Position | null } | null
  /** Events that a daily quota rejected, which are sent first. */
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

/** The storage of a state. */
export interface Keeper {
  read(): State | null
  write(state: State): void
  /** Releases the lock of the file. */
  release(): void
}

/** Stores nothing, for standard input. */
export const noKeeper: Keeper = { read: () => null, write: () => undefined, release: () => undefined }

/**
 * Locks the state of a file for this process, as concurrent runs would make different batches.
 *
 * @throws Failure when another run uses it, or it is not writable
 */
export function takeState(path: string): Keeper {
  const lock = `${path}.lock`
  takeLock(lock)
  return {
    read: () => readState(path),
    write(state) {
      try {
        replaceFile(path, `${JSON.stringify(state)}\n`)
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
      const pid = Number(findText(lock))
      if (isLast || isAlive(pid)) {
        throw new Failure(`this file is being reported by another run, process ${pid}`, {
          next: `wait for it; if that process is not agentreg, delete ${lock}`,
        })
      }
      rmSync(lock, { force: true }) // left by a killed run
    }
  }
}

function readState(path: string): State | null {
  const text = findText(path)
  if (text === null) return null
  const state = parseObject(text)
  if (state?.version === VERSION && isObject(state.done)) return state as unknown as State // only takeState writes this version
  throw new Failure(`${path} is not a state file of a report`, {
    next: 'restore it, or set another file with --state; without it, events may be stored twice',
  })
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
