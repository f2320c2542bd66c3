import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** One key with its new value; undefined removes the key. */
export type Change = [key: string, value?: unknown]

export interface Store {
  /** The entries when the log was opened, ordered by the first write of their keys. */
  entries: ReadonlyMap<string, unknown>
  /** Writes all changes or none; resolves when these and all earlier changes are on the disk. */
  commit(changes: Change[]): Promise<void>
  close(): Promise<void>
}

const LOG = 'messages.jsonl'

/**
 * A map in an append-only log with one commit per line, which is compacted when it is opened.
 *
 * Commits during a write share the next write.
 *
 * @param dir folder of the log; created if missing
 */
export async function openStore(dir: string): Promise<Store> {
  await mkdir(dir, { recursive: true })
  const path = join(dir, LOG)
  const log = await open(path, 'a+')
  const entries = readLog(await log.readFile('utf8'))
  await log.close()
  await rewrite(dir, path, entries)
  const file = await open(path, 'a')

  let waiting: string[] = []
  let next: Promise<void> | null = null
  let last = Promise.resolve()

  const flush = async () => {
    await last.catch(() => undefined)
    const lines = waiting.join('')
    waiting = []
    next = null
    if (lines === '') return
    await file.appendFile(lines)
    await file.datasync()
  }

  return {
    entries,
    commit(changes) {
      if (changes.length > 0) waiting.push(`${JSON.stringify(changes)}\n`)
      if (next === null) {
        next = flush()
        last = next
      }
      return next
    },
    async close() {
      await last.catch(() => undefined)
      await file.close()
    },
  }
}

function readLog(text: string): Map<string, unknown> {
  const entries = new Map<string, unknown>()
  // A crash cut off a line without a line end; its commit was never acknowledged.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  for (const line of whole.split('\n')) {
    if (line === '') continue
    for (const [key, value] of JSON.parse(line) as Change[]) {
      if (value === undefined || value === null) entries.delete(key)
      else entries.set(key, value)
    }
  }
  return entries
}

async function rewrite(dir: string, path: string, entries: Map<string, unknown>): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w')
  await file.writeFile([...entries].map((entry) => `${JSON.stringify([entry])}\n`).join(''))
  await file.sync()
  await file.close()
  await rename(draft, path)
  const folder = await open(dir, 'r')
  await folder.sync().catch(() => undefined)
  await folder.close()
}
