import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../local/port.ts'
import type { Worker } from '../../local/worker.ts'
import { settingsOf } from './worker-settings.ts'
import { runBare } from './workerd.ts'

/**
 * Starts one more Worker on a running stack, with some settings changed: its callers reach the same database.
 *
 * @param dir folder of the stack
 * @param changes settings that differ, for example the address of a part that is down; undefined removes one
 * @param run how it is run, for example as `npm run dev` does, with its pages next to it
 */
export async function startVariant(
  dir: string,
  changes: Record<string, string | undefined>,
  run = runBare,
): Promise<Worker & { dir: string }> {
  const all = Object.entries({ ...settingsOf(dir), ...changes })
  const vars = Object.fromEntries(
    all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const own = await mkdtemp(join(dir, 'variant-'))
  const worker = await again(async () => run({ dir: own, port: await freePort(), vars }))
  return { ...worker, dir: own }
}

/** Starts a process, and retries once if another process took one of its free ports first. */
export async function again<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    if (!/address already in use|is taken/i.test(String(error))) throw error
    return start()
  }
}
