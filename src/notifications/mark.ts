import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { MARKED_MAX, markAll, markOne } from './store.ts'

/** Marks all notifications of an operator as read; returns the number that were unread. */
export async function markAllRead(db: Db, operatorId: string, now: Date): Promise<number> {
  let sum = 0
  for (let read = MARKED_MAX; read === MARKED_MAX; sum += read) read = await markAll(db, operatorId, now)
  return sum
}

/** Marks a notification as read; repeated calls change nothing. */
export async function markRead(db: Db, operatorId: string, id: string, now: Date) {
  const read = await markOne(db, operatorId, id, now)
  if (!read) throw new ApiError('NOT_FOUND', `you have no notification ${id}`)
  return read
}
