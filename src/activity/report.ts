import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { replay, toRepeatable } from '../idempotency/request.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { appendEvents } from './append-store.ts'
import { type BatchItem, settle, toBatch, toResults } from './batch.ts'
import type { BatchFacts } from './entries.ts'
import { receiptOf } from './receipt.ts'

/**
 * Stores the valid elements of a report and notifies platforms.
 *
 * @param key the Idempotency-Key, if the request has one
 * @returns the result of each element, in order, and the receipt if the request asks for one; if the request is repeated,
 * those of the first one
 */
export async function report(
  c: Ctx,
  items: readonly BatchItem[],
  { key, isBatch }: { key: string | undefined; isBatch: boolean },
) {
  const caller = requireCaller(c)
  const now = c.get('now')()
  const repeatable = await toRepeatable(c, key, now)
  const batch = toBatch(items, now)
  const { prior, facts, deliveries } = await appendEvents(c.get('db'), caller, batch, repeatable, now)
  publishAfterResponse(c, deliveries)
  const shown = prior ? (replay(c, repeatable, prior).answer as unknown as BatchFacts) : facts
  const settled = settle(items, shown)
  return { data: toResults(settled, shown, caller), ...(await receiptOf(c, settled, isBatch)) }
}
