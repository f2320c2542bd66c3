import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { OperatorChanges } from './schema.ts'
import { updateOperator } from './store.ts'

/**
 * Changes an operator.
 *
 * @throws ApiError NO_UPDATES if no field is given
 */
export async function changeOperator(db: Db, id: string, changes: OperatorChanges, now: Date) {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new ApiError('NO_UPDATES', 'body: must contain at least one field to change')
  }
  return present(await updateOperator(db, id, changes, now))
}

/** Asserts that a query found the operator of an active credential. */
export function present<T>(operator: T | null): T {
  if (operator === null) throw new Error('the operator of an active credential does not exist')
  return operator
}
