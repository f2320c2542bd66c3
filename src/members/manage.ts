import type * as z from 'zod'
import { barredUntil } from '../agents/membership.ts'
import type { ShownScore } from '../agents/profile.ts'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { requireValidNumber } from '../wire/agent-number.ts'
import { type OwnPlatform, ownPlatformNotFound, platformRetired } from '../wire/own-platform.ts'
import { removeMember } from './removal-store.ts'
import type { Member, removal } from './responses.ts'
import type { MemberQuery } from './schema.ts'
import { confirmMember, listMembers } from './store.ts'

/** A page of the agents on an operator's platform; throws 404 if the operator has no such platform. */
export async function requireMembers(db: Db, platform: OwnPlatform, query: MemberQuery) {
  const found = await listMembers(db, platform, query)
  if (!found) throw ownPlatformNotFound(platform.slug)
  return found
}

/** Confirms that an agent is on a platform; repeated calls return the same result. */
export async function admitMember(db: Db, platform: OwnPlatform, reg: string, now: Date): Promise<Member> {
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
 * @param agent agent number, and score as decimal text or null
 */
export async function endMembership(
  c: Ctx,
  platform: OwnPlatform,
  agent: { reg: string; score: ShownScore },
): Promise<z.infer<typeof removal>> {
  const { slug } = platform
  const { reg } = agent
  requireValidNumber(reg)
  const done = await removeMember(c.get('db'), platform, agent, c.get('now')())
  if (!done) throw ownPlatformNotFound(slug)
  const { removed_at } = done
  if (!removed_at) throw done.status === 'retired' ? platformRetired(slug) : notMember(slug, reg)
  publishFirst(c, done.deliveries)
  const barred_until = barredUntil(new Date(removed_at)).toISOString()
  return { reg, platform_slug: slug, removed_at, barred_until }
}

function notMember(slug: string, reg: string): ApiError {
  return new ApiError('NOT_FOUND', `agent ${reg} is not on platform '${slug}'`)
}
