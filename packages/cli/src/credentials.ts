import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseObject } from '../../../src/transparency/bytes.ts'
import { Failure } from './failure.ts'
import { findText, writePrivate } from './files.ts'

const VERSION = 1
export const DEFAULT_PROFILE = 'default'

/** The stored credentials of an operator at a registry. */
export interface Stored {
  base_url: string
  profile: string
  /** A session token, `reg_sess_…`. */
  token?: string
  email?: string
  /** The API key that `report` uses, `reg_live_…`. */
  api_key?: { id: string; name: string; key: string }
}

interface File {
  version: number
  /** The registry of the last login. */
  last: string | null
  entries: Stored[]
}

export interface Place {
  baseUrl: string
  profile: string
}

/** The file of the credentials: below `XDG_CONFIG_HOME`, else `~/.config`. */
export function credentialsPath(): string {
  const base = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return join(base, 'agentreg', 'credentials.json')
}

/** The registry of the last login; null when there was none. */
export function lastBaseUrl(): string | null {
  return readFile().last
}

/** The stored credentials of a registry and profile; a credential is never used for another registry. */
export function findStored({ baseUrl, profile }: Place): Stored | null {
  return readFile().entries.find((entry) => isAt(entry, { baseUrl, profile })) ?? null
}

/**
 * Stores credentials, readable only for this user.
 *
 * @param changes fields to set; undefined removes a field
 */
export function store(place: Place, changes: { [Field in keyof Stored]?: Stored[Field] | undefined }): void {
  const file = readFile()
  const before = file.entries.find((entry) => isAt(entry, place))
  const entry = { ...before, base_url: place.baseUrl, profile: place.profile, ...changes } as Stored
  writePrivate(credentialsPath(), {
    ...file,
    last: place.baseUrl,
    entries: [...file.entries.filter((one) => !isAt(one, place)), entry],
  })
}

/** Deletes the stored credentials of a registry and profile. */
export function forget(place: Place): void {
  const file = readFile()
  writePrivate(credentialsPath(), { ...file, entries: file.entries.filter((entry) => !isAt(entry, place)) })
}

/** The profile of the command line, else of the environment. */
export function profileOf(given: string | undefined): string {
  return given || process.env.AGENTREG_PROFILE || DEFAULT_PROFILE
}

function isAt(entry: Stored, { baseUrl, profile }: Place): boolean {
  return entry.base_url === baseUrl && entry.profile === profile
}

function readFile(): File {
  const text = findText(credentialsPath())
  if (text === null) return { version: VERSION, last: null, entries: [] }
  const file = parseObject(text)
  if (file?.version === VERSION && Array.isArray(file.entries)) return file as unknown as File // only this module writes this version
  throw new Failure(`${credentialsPath()} was written by another version of agentreg`, {
    next: 'delete it, and sign in again: agentreg login',
  })
}
