import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv as parseFile } from 'node:util'
import { parseEnv } from '../../src/env.ts'
import { LOCAL_DIR, readStackFile } from '../support/stack-file.ts'
import type { Placement, Site } from './check.ts'
import { OWNER_SETTING } from './settings.ts'

/**
 * Reads the settings from a file of lines NAME=value.
 *
 * @throws Error when the file does not exist
 */
export function readSettings(file: string): Record<string, string> {
  if (!existsSync(file))
    throw new Error(`${file}: file not found; to create it, run npm run -s ops -- template > ${file}`)
  return given(parseFile(readFileSync(file, 'utf8')))
}

/** The running local stack as a deployment. */
export function localSite(): Site {
  const { database_url } = readStackFile()
  const read = given(parseFile(readFileSync(join(LOCAL_DIR, 'worker.env'), 'utf8')))
  return toSite({ ...read, [OWNER_SETTING]: database_url }, null)
}

/** @param read the settings of the Worker, and the owner's connection string */
export function toSite(read: Readonly<Record<string, string>>, placement: Placement | null): Site {
  const { [OWNER_SETTING]: ownerUrl, ...settings } = read
  return { given: settings, env: checked(settings), ownerUrl, placement }
}

/** Drops empty settings. */
function given(read: NodeJS.Dict<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(read).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function checked(settings: object): Site['env'] {
  try {
    return parseEnv({ ...settings, ASSETS: { fetch } })
  } catch {
    return null // the first check states why
  }
}
