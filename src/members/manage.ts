import type * as z from 'zod'
import type { Db } from '../db/client.ts'
import { untilFresh } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { requireValidNumber } from '../wire/agent-number.ts'
import { type OwnPlatform, ownPlatformNotFound, platformRetired } from '../wire/own-platform.ts'
import { type FoundChangeable, findChangeable } from './found-store.ts'
import { barredUntil, depart } from './membership.ts'
import { findRemoval, writeRemoval } from './removal-store.ts'
import type { Member, removal } from './responses.ts'
import { confirmMember } from './store.ts'

/** Confirms that an agent is on a platform; repeated calls return the same result. */
export async function confirm(db: Db, platform: OwnPlatform, reg: string, now: Date): Promise<Member> {
  requireValidNumber(reg)
  const found = await confirmMember(db, platform, reg, now)
  if (!found) throw ownPlatformNotFound(platform.slug)
  if (!found.member) throw notMember(platform.slug, reg)
  if (found.status === 'retired') throw platformRetired(platform.slug)
  return found.member
}

/**
 * Removes an agent from a platform and bars it from joining again for 30 days; repeated calls return the same result.
 *
 * @param prefetched the agent as `readChangeable` found it
 */
export function removeMember(
  c: Ctx,
  own: OwnPlatform,
  reg: string,
  prefetched: FoundChangeable | null,
): Promise<z.infer<typeof removal>> {
  const { slug, operator_id } = own
  requireValidNumber(reg)
  const db = c.get('db')
  const now = c.get('now')()
  return untilFresh(async (isFirst) => {
    const found = (isFirst && prefetched) || (await findChangeable(db, reg, now))
    const platform = found?.placement.platform
    const isMember =
      platform?.slug === slug && platform.operator_id === operator_id && platform.status === 'active'
    if (!found || !isMember) return shownRemoval(own, reg, await requireRemoval(db, own, reg, now))
    const departure = depart({ ...found, status: found.agent.status, next: found.placement.next }, now)
    publishAfterResponse(c, await writeRemoval(db, { ...own, id: platform.id }, found, departure, now))
    return shownRemoval(own, reg, now)
  })
}

async function requireRemoval(db: Db, own: OwnPlatform, reg: string, now: Date): Promise<Date> {
  const found = await findRemoval(db, own, reg, now)
  if (!found) throw ownPlatformNotFound(own.slug)
  if (!found.removed_at)
    throw found.status === 'retired' ? platformRetired(own.slug) : notMember(own.slug, reg)
  return new Date(found.removed_at)
}

function shownRemoval({ slug }: OwnPlatform, reg: string, removedAt: Date) {
  const barred_until = barredUntil(removedAt).toISOString()
  return { reg, platform_slug: slug, removed_at: removedAt.toISOString(), barred_until }
}

function notMember(slug: string, reg: string): ApiError {
  return new ApiError('NOT_FOUND', `agent ${reg} is not on platform '${slug}'`)
}
