import { execFile } from 'node:child_process'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readCluster } from '../../local/postgres/cluster.ts'
import { startPostgres } from '../../local/postgres/index.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'

/**
 * Creates a stopped database to copy, because creating one takes seconds. Its copies do not sync to the disk: they
 * survive the crash of a process, but not of the machine.
 *
 * @param home its folder, as for `startPostgres`
 * @param prepare prepares the database before it is stopped
 * @returns the folder; null if its data cannot be stored there, or if a server is given
 */
export async function makeTemplate(
  home: string,
  prepare: (url: string) => Promise<unknown> = migrateDatabase,
): Promise<string | null> {
  if (process.env.DATABASE_URL) return null
  const postgres = await startPostgres({ dir: home })
  try {
    await prepare(postgres.url)
  } finally {
    await postgres.stop()
  }
  const { data } = readCluster(home) ?? { data: '/' }
  if (data.startsWith('/')) return null
  await appendFile(join(home, data, 'postgresql.conf'), '\nfsync = off\n')
  return home
}

/** Copies a template to the folder of `startPostgres`. */
export async function copyTemplate(template: string, home: string): Promise<void> {
  await mkdir(home, { recursive: true })
  await promisify(execFile)('cp', ['-Rp', `${template}/.`, home]) // as root, with the owner of the data
}
