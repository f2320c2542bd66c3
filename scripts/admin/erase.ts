import { parseArgs } from 'node:util'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { audit } from '../../src/audit/store.ts'
import { inTransaction, withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'
import { COPY_TABLES, hideCopies } from './copies-store.ts'
import { lockLog } from './log-resume-store.ts'
import { emptyMetadata, lockEvent, vacuum } from './redaction-store.ts'
import { DRY_RUN, describeCounts, requireUuid } from './transaction.ts'

/** Erases the metadata of a redacted event from the log and from data derived from it. */
export const eraseCommand: Command = {
  usage: '<event id> [--dry-run]',
  async run(databaseUrl, args) {
    const { values, positionals } = parseArgs({ args: [...args], options: DRY_RUN, allowPositionals: true })
    const [id, ...more] = positionals
    if (!id || more.length > 0) return null
    requireUuid(id)
    const isDry = values['dry-run']
    return withDatabase(databaseUrl(), async (db) => {
      const done = await inTransaction(db, () => eraseEvent(db, id, new Date(), isDry), { isDry })
      if (!isDry) await vacuum(db, ['activity_events', ...COPY_TABLES])
      return done
    })
  },
}

/**
 * Erases the metadata of a redacted event.
 *
 * @param db in a transaction
 * @param isDry does not change the log, because its writers would wait; the caller rolls the transaction back
 * @returns lines that state what was emptied
 * @throws Error when there is no such event, it is not redacted, or the log is busy
 */
async function eraseEvent(db: NodePgDatabase, id: string, now: Date, isDry: boolean): Promise<string> {
  if (!isDry) await lockLog(db) // before the agent, as the job that appends to it does
  const event = await lockEvent(db, id)
  if (!event) throw new Error(`event ${id} does not exist`)
  const { redacted, erased_at, reg } = event
  if (!redacted) throw new Error(`event ${id} is not redacted: redact it first`)
  const copies = await hideCopies(db, { ...event, redacted })
  if (erased_at === null && !isDry) {
    await audit(db, [{ operator_id: event.operator_id, action: 'event.erased', target: id }], now)
    await emptyMetadata(db, id, now)
  }
  const what = `event ${id} of ${reg}`
  const done =
    erased_at === null ? `${what} ${isDry ? 'would be' : 'is'} erased` : `${what} was erased at ${erased_at}`
  const counts = { activity_events: erased_at === null ? 1 : 0, ...copies }
  return [done, ...describeCounts(counts, isDry ? 'would be emptied' : 'emptied')].join('\n')
}
