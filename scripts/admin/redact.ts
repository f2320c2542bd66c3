import { parseArgs } from 'node:util'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { audit } from '../../src/audit/store.ts'
import { REDACTION_REASONS } from '../../src/db/enums.ts'
import { eventDelta, responseMs } from '../../src/trust/rollup.ts'
import type { Command } from './command.ts'
import { hideCopies } from './copies-store.ts'
import { addRedaction, type LockedEvent, lockEvent, type Reason } from './redaction-store.ts'
import { DRY_RUN, describeCounts, requireUuid, transact } from './transaction.ts'

/** Hides the metadata of an event everywhere. Repeated, it hides copies made since, and keeps the first reason. */
export const redactCommand: Command = {
  usage: `<event id> --reason ${REDACTION_REASONS.join('|')} [--dry-run]`,
  async run(databaseUrl, args) {
    const options = { reason: { type: 'string' }, ...DRY_RUN } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [id, ...more] = positionals
    if (!id || more.length > 0 || !values.reason) return null
    const reason = REDACTION_REASONS.find((name) => name === values.reason)
    if (!reason) throw new Error(`--reason: must be ${REDACTION_REASONS.join('|')}, not '${values.reason}'`)
    requireUuid(id)
    const isDry = values['dry-run']
    return transact(databaseUrl(), (db) => redactEvent(db, id, reason, new Date(), isDry), isDry)
  },
}

/**
 * Redacts an event.
 *
 * @param db in a transaction
 * @param isDry only changes the output; the caller rolls the transaction back
 * @returns lines that state what was hidden
 * @throws Error when the event does not exist
 */
export async function redactEvent(
  db: NodePgDatabase,
  id: string,
  reason: Reason,
  now: Date,
  isDry = false,
): Promise<string> {
  const event = await lockEvent(db, id)
  if (!event) throw new Error(`event ${id} does not exist`)
  const redacted = event.redacted ?? { at: now.toISOString(), reason }
  if (!event.redacted) {
    await addRedaction(db, id, redacted, addedBy(event))
    await audit(db, [{ operator_id: event.operator_id, action: 'event.redacted', target: id }], now)
  }
  const copies = await hideCopies(db, { ...event, redacted })
  const what = `event ${id} of ${event.reg}`
  const done = event.redacted
    ? `${what} was redacted at ${redacted.at}, reason ${redacted.reason}`
    : `${what} ${isDry ? 'would be' : 'is'} redacted, reason ${reason}`
  return [done, ...describeCounts(copies, isDry ? 'would be hidden' : 'hidden')].join('\n')
}

function addedBy(event: LockedEvent): Record<string, number> {
  const added = { ...eventDelta(event), response_ms: responseMs(event) }
  return Object.fromEntries(Object.entries(added).filter(([, amount]) => amount > 0))
}
