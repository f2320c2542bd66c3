import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** One key with its new value; undefined removes the key. */
export type Change = [key: string, value?: unknown]

export interface Store {
  /** The entries when the file was opened, ordered by the first write of their keys. */
  entries: ReadonlyMap<string, unknown>
  /** Writes all changes or none. */
  commit(changes: readonly Change[]): void
  close(): void
}

/**
 * A map in a file, which survives the end of the process.
 *
 * @param dir folder of the file; created if missing
 */
export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true })
  const file = new DatabaseSync(join(dir, 'messages.db'))
  file.exec('pragma journal_mode = wal; pragma synchronous = off')
  file.exec('create table if not exists entries (key text primary key, value text not null)')
  const put = file.prepare(
    'insert into entries values (?, ?) on conflict do update set value = excluded.value',
  )
  const drop = file.prepare('delete from entries where key = ?')
  const rows = file.prepare('select key, value from entries order by rowid').all()
  return {
    entries: new Map(rows.map(({ key, value }) => [String(key), JSON.parse(String(value))])),
    commit(changes) {
      file.exec('begin')
      for (const [key, value] of changes) {
        if (value === undefined) drop.run(key)
        else put.run(key, JSON.stringify(value))
      }
      file.exec('commit')
    },
    close() {
      if (file.isOpen) file.close()
    },
  }
}
