import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEnv as parseFile } from 'node:util'
import { differing } from './checks/agreement.ts'
import { ALL_SETTINGS, OWNER_SETTING } from './settings.ts'
import { readSettings, toSite } from './site.ts'
import { runWithSettings } from './wrangler.ts'

const AGREED_MS = 120_000
const PAUSE_MS = 2_000
/** A setting in a file; a value in quotes may have several lines. */
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Z_]+)[ \t]*=[ \t]*(?:'[^']*'|"[^"]*"|`[^`]*`)?[^\n]*\n/gm

/** New values by setting; an empty one removes the setting. */
export type Changes = Readonly<Record<string, string>>

/** The settings file of a deployment, and the environment of its Worker. */
export interface Target {
  file: string
  environment: string
  /** How long until no location uses the previous settings; default: one minute. */
  settledMs?: number
}

/**
 * Changes settings in the file and for the Worker, and waits until the Worker has them.
 *
 * @throws Error that names the settings that are unknown, invalid, or different for the Worker, never their values
 */
export async function changeSettings({ file, environment }: Target, changes: Changes): Promise<void> {
  const names = Object.keys(changes)
  const known = ALL_SETTINGS.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (names.length === 0 || unknown.length > 0)
    throw new Error(unknown.length > 0 ? `unknown settings: ${unknown.join(', ')}` : 'no setting is given')
  const before = readSettings(file)
  await requireCurrent(before, names)
  const after = Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value))
  if (!toSite(after, null).env)
    throw new Error('not changed: the new settings are invalid (ops -- doctor names them)')
  writeSettings(file, changes)
  const sent = Object.entries(changes).filter(([name]) => name !== OWNER_SETTING)
  if (sent.length === 0) return
  const values = Object.fromEntries(sent.map(([name, value]) => [name, value || null]))
  await runWithSettings(values, (path) => ['secret', 'bulk', path, '--env', environment])
  for (const until = Date.now() + AGREED_MS; ; await pause(PAUSE_MS)) {
    const left = await namesThatDiffer(after).catch(() => names)
    if (left.length === 0) return
    if (Date.now() > until)
      throw new Error(`the file has the new values; the Worker does not have: ${left.join(', ')}`)
  }
}

/**
 * Requires that the Worker runs with the settings of a file: an old file would bring old secrets back.
 *
 * @param expected names of settings that are about to change
 * @throws Error with the names of those that differ
 */
export async function requireCurrent(settings: Changes, expected: readonly string[]): Promise<void> {
  const differ = await namesThatDiffer(settings, expected)
  const stale = differ.filter((name) => !expected.includes(name))
  if (stale.length > 0)
    throw new Error(
      `the Worker has other values than this file: ${stale.join(', ')}. Is the file old? To change them, name them: --change ${stale.join(' --change ')}`,
    )
}

async function namesThatDiffer(settings: Changes, expected: readonly string[] = []): Promise<string[]> {
  const site = toSite(settings, null)
  if (!site.env) throw new Error('the settings are invalid (ops -- doctor names them)')
  return differing({ ...site, env: site.env }, expected)
}

/** Replaces the lines of settings, and keeps comments and order; the file is never half written. */
function writeSettings(file: string, changes: Changes): void {
  const left = { ...changes }
  const before = `${readFileSync(file, 'utf8').trimEnd()}\n`
  const kept = before.replaceAll(ASSIGNMENT, (lines, name: string) => {
    if (!Object.hasOwn(changes, name)) return lines
    const value = left[name]
    delete left[name]
    return value ? lineOf(name, value) : ''
  })
  const added = Object.entries(left).flatMap(([name, value]) => (value ? [lineOf(name, value)] : []))
  writeFileSync(`${file}.new`, kept + added.join(''), { mode: 0o600 })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
}

/** @throws Error when the value cannot be written so that it is read back */
function lineOf(name: string, value: string): string {
  const quote = ["'", '"', '`'].find((one) => parseFile(`${name}=${one}${value}${one}`)[name] === value)
  if (!quote) throw new Error(`${name}: contains all three kinds of quotes`)
  return `${name}=${quote}${value}${quote}\n`
}
