import { barredUntil } from '../agents/membership.ts'
import { findScore } from '../agents/score.ts'
import { router } from '../api/endpoint.ts'
import { besideOf, ownPlatform } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { slugParam } from '../wire/fields.ts'
import { requireKnownNumber } from '../wire/known-number.ts'
import { ownPlatformNotFound, platformRetired } from '../wire/own-platform.ts'
import { paginate } from '../wire/page.ts'
import type { answers } from './answers.ts'
import { removeMember } from './removal-store.ts'
import { memberParams, memberQuery } from './schema.ts'
import { confirmMember, listMembers } from './store.ts'

export const memberRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'listPlatformAgents',
      method: 'get',
      path: '/platforms/{slug}/agents',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, query: memberQuery },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const query = c.req.valid('query')
      const found = await listMembers(c.get('db'), ownPlatform(c, slug), query)
      if (!found) throw ownPlatformNotFound(slug)
      return c.json({ data: found.data, pagination: paginate(c, query, found.total) }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'confirmPlatformAgent',
      method: 'post',
      path: '/platforms/{slug}/agents/{reg}/confirm',
      access: { by: 'session', limit: 'session' },
      request: { params: memberParams },
    },
    async (c) => {
      const { slug, reg } = c.req.valid('param')
      requireKnownNumber(reg)
      const found = await confirmMember(c.get('db'), ownPlatform(c, slug), reg, c.get('now')())
      if (!found) throw ownPlatformNotFound(slug)
      if (!found.member) throw notMember(slug, reg)
      if (found.status === 'retired') throw platformRetired(slug)
      return c.json(found.member, 200)
    },
  )
  .endpoint(
    {
      operationId: 'removePlatformAgent',
      method: 'delete',
      path: '/platforms/{slug}/agents/{reg}',
      access: { by: 'session', limit: 'session', beside: findScore },
      request: { params: memberParams },
    },
    async (c) => {
      const { slug, reg } = c.req.valid('param')
      requireKnownNumber(reg)
      const agent = { reg, overall: besideOf(c, findScore) }
      const done = await removeMember(c.get('db'), ownPlatform(c, slug), agent, c.get('now')())
      if (!done) throw ownPlatformNotFound(slug)
      if (!done.removed_at) throw done.status === 'retired' ? platformRetired(slug) : notMember(slug, reg)
      publishFirst(c, done.deliveries)
      const { removed_at } = done
      const barred_until = barredUntil(new Date(removed_at)).toISOString()
      return c.json({ reg, platform_slug: slug, removed_at, barred_until }, 200)
    },
  )

function notMember(slug: string, reg: string): ApiError {
  return new ApiError('NOT_FOUND', `agent ${reg} is not on platform '${slug}'`)
}
