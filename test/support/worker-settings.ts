import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { SETTINGS_FILE } from '../../local/worker.ts'

/** The settings of the Worker of a stack, by the folder of the stack. */
export function settingsOf(dir: string): Record<string, string> {
  const vars = parseEnv(readFileSync(join(dir, SETTINGS_FILE), 'utf8'))
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, value ?? '']))
}
