import { requireSession } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { untilFresh } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { planChange } from './change-plan.ts'
import type { OperatorChanges } from './schema.ts'
import { type FoundOperator, findSessionOperator, writeChange } from './store.ts'

/** Prefetches the calling operator. */
export function readOperator(c: Ctx, { id }: Token): Promise<FoundOperator | null> {
  return findSessionOperator(c.get('db'), id)
}

/**
 * Changes the calling operator. Values that are already set change nothing.
 *
 * @param prefetched the operator as `readOperator` found it
 * @throws ApiError NO_UPDATES if no field is given
 */
export function changeOperator(c: Ctx, changes: OperatorChanges, prefetched: FoundOperator | null) {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new ApiError('NO_UPDATES', 'body: must contain at least one field to change')
  }
  const db = c.get('db')

  return untilFresh(async (isFirst) => {
    const found = present(
      (isFirst && prefetched) || (await findSessionOperator(db, requireSession(c).session_id)),
    )
    const plan = planChange(found, changes)
    return plan ? writeChange(db, found, plan, c.get('now')()) : found
  })
}

/** Asserts that a query found the operator of an active credential. */
export function present<T>(operator: T | null): T {
  if (operator === null) throw new Error('the operator of an active credential does not exist')
  return operator
}
