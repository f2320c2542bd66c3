import { router } from '../api/endpoint.ts'
import { besideOf, requireCaller } from '../credentials/authorize.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { uuidv7 } from '../lib/ids.ts'
import { utcDay } from '../lib/time.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { overCeiling, overDailyCeiling, refusedToday } from '../wire/ceiling.ts'
import { regParam } from '../wire/fields.ts'
import { agentNotFound, foreignAgent, requireKnownNumber } from '../wire/known-number.ts'
import { paginate } from '../wire/page.ts'
import type { AgentCreated, answers } from './answers.ts'
import { notPublic } from './links.ts'
import { barredUntil, type Refusal, refusalText } from './membership.ts'
import { toProfile } from './profile.ts'
import { agentChanges, agentInput } from './schema.ts'
import { findScore } from './score.ts'
import { searchQuery } from './search-query.ts'
import { searchAgents } from './search-store.ts'
import { findAgent, registerAgent, registeredAnswer } from './store.ts'
import { updateAgent } from './update-store.ts'

const REFUSAL_CODE = {
  unknown_platform: 'NOT_FOUND',
  deactivated: 'AGENT_DEACTIVATED',
  retired: 'CONFLICT',
  suspended: 'CONFLICT',
  removed: 'CONFLICT',
} as const satisfies Record<Refusal, ErrorCode>

export const agentRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'registerAgent',
      method: 'post',
      path: '/agents',
      access: { by: 'session', limit: 'session' },
      request: { headers: idempotencyHeaders, body: agentInput },
    },
    async (c) => {
      const input = c.req.valid('json')
      const now = c.get('now')()
      const { operator_id } = requireCaller(c)
      const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], now)
      const event = newEvent('agent.registered', now)
      const agent = { ...input, id: uuidv7(now), operator_id, event, now, repeatable }
      const stored = await registerAgent(c.get('db'), agent)
      if (!stored) throw new ApiError('CONFLICT', `the agent numbers of ${now.getUTCFullYear()} are used up`)
      if (stored.prior) return c.json(replay(c, repeatable, stored.prior).answer as AgentCreated, 201)
      if (stored.refusal) throw platformRefusal(input.platform_slug ?? '', stored.refusal, null)
      if (stored.agent === null) {
        if (stored.has_room)
          throw refusedToday(overDailyCeiling('registrations_per_day', stored.ceiling, 'registrations'), now)
        throw new ApiError(
          'AGENT_LIMIT_REACHED',
          overCeiling('active_agents', stored.agent_limit, 'active agents', 'deactivate one'),
        )
      }
      publishFirst(c, stored.deliveries)
      return c.json(registeredAnswer(agent, stored.agent), 201)
    },
  )
  .endpoint(
    {
      operationId: 'updateAgent',
      method: 'patch',
      path: '/agents/{reg}',
      access: { by: 'session', limit: 'session', beside: findScore },
      request: { params: regParam, body: agentChanges },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      requireKnownNumber(reg)
      const now = c.get('now')()
      const trust_score_overall = besideOf(c, findScore)
      const changes = c.req.valid('json')
      const result = await updateAgent(c.get('db'), {
        reg,
        operator_id: requireCaller(c).operator_id,
        changes,
        trust_score_overall,
        registered: newEvent('agent.registered', now),
        updated: newEvent('agent.updated', now),
        deactivated: newEvent('agent.deactivated', now),
        now,
      })
      switch (result.outcome) {
        case 'unknown':
          throw agentNotFound(reg)
        case 'foreign':
          throw foreignAgent(reg)
        case 'refused':
          throw platformRefusal(changes.platform_slug ?? '', result.refusal, result.removed_at)
        case 'too_many':
          throw refusedToday(overDailyCeiling('changes_per_day', result.ceiling, 'changes of an agent'), now)
        case 'updated':
          publishFirst(c, result.deliveries)
          return c.json({ ...result.agent, not_public: notPublic(result.agent), trust_score_overall }, 200)
      }
    },
  )
  .endpoint(
    {
      operationId: 'searchAgents',
      method: 'get',
      path: '/agents/search',
      access: { by: 'anyone', limit: 'public' },
      request: { query: searchQuery },
    },
    async (c) => {
      const query = c.req.valid('query')
      const { data, total } = await searchAgents(c.get('db'), query)
      return publicJson(c, { data, pagination: paginate(c, query, total) })
    },
  )
  .endpoint(
    {
      operationId: 'getAgent',
      method: 'get',
      path: '/agents/{reg}',
      access: { by: 'anyone', limit: 'public' },
      request: { params: regParam },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const found = await findAgent(c.get('db'), requireKnownNumber(reg), utcDay(c.get('now')()))
      if (!found) throw agentNotFound(reg)
      return publicJson(c, toProfile(found))
    },
  )

function platformRefusal(slug: string, refusal: Refusal, removedAt: string | null): ApiError {
  const until = removedAt && barredUntil(new Date(removedAt)).toISOString()
  return new ApiError(REFUSAL_CODE[refusal], `platform_slug: ${refusalText(slug, refusal, until)}`)
}
