import { and, eq, type SQL } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { platforms } from '../db/schema.ts'
import { isFound, type Transaction } from '../db/transaction.ts'
import { type OwnPlatform, ownPlatformNotFound, platformRetired } from './own-platform.ts'

type Own = Pick<OwnPlatform, 'slug' | 'operator_id'>

/** Whether a platform is the one with this slug, and of this operator. */
export function isOwn({ slug, operator_id }: Own): SQL | undefined {
  return and(eq(platforms.slug, slug), eq(platforms.operator_id, operator_id))
}

/** As `isOwn`, and it is not retired. */
export function isOwnActive(own: Own): SQL | undefined {
  return and(isOwn(own), eq(platforms.status, 'active'))
}

/** Refuses a write unless the operator has this platform, and it is not retired. Lock its row. */
export function requireOwnActive(db: Db, write: Pick<Transaction<never>, 'require'>, own: Own): void {
  write.require(isFound(db, platforms, isOwn(own)), ownPlatformNotFound(own.slug))
  write.require(isFound(db, platforms, isOwnActive(own)), platformRetired(own.slug))
}
