import { ApiError } from '../errors.ts'
import { requireCaller } from '../http/auth.ts'
import { endpoint, json, jsonRequest, router } from '../http/endpoint.ts'
import { regParam } from '../http/fields.ts'
import { uuidv7 } from '../lib/ids.ts'
import { utcDay } from '../lib/wire.ts'
import { newEvent } from '../webhooks/events.ts'
import { publishFirst } from '../webhooks/publish.ts'
import { agentNotFound, requireKnownNumber } from './known.ts'
import { toProfile } from './profile.ts'
import { agentCreated, agentInput, agentProfile } from './schema.ts'
import { findAgent, registerAgent } from './store.ts'

const postAgent = endpoint({
  method: 'post',
  path: '/agents',
  access: { by: 'session', limit: 'session' },
  summary: 'Register an agent; it receives a permanent number',
  request: { body: jsonRequest(agentInput) },
  responses: { 201: json(agentCreated, 'The registered agent') },
  errors: ['NOT_FOUND', 'AGENT_LIMIT_REACHED'],
})

const getAgent = endpoint({
  method: 'get',
  path: '/agents/{reg}',
  access: { by: 'anyone', limit: 'public' },
  summary: 'The public profile of an agent',
  request: { params: regParam },
  responses: { 200: json(agentProfile, 'The profile') },
  errors: ['NOT_FOUND'],
})

export const agentRoutes = router()
  .openapi(postAgent, async (c) => {
    const input = c.req.valid('json')
    const now = c.get('now')()
    const id = uuidv7(now)
    const { operator_id } = requireCaller(c)
    const event = newEvent('agent.registered', now)
    const stored = await registerAgent(c.get('db'), { ...input, id, operator_id, event, now })
    if (!stored.platform_known) {
      throw new ApiError('NOT_FOUND', `platform_slug: there is no platform '${input.platform_slug}'`)
    }
    if (stored.reg === null) {
      throw new ApiError('AGENT_LIMIT_REACHED', `your tier allows ${stored.agent_limit} active agents`)
    }
    publishFirst(c, stored.deliveries)
    const { platform_slug: _, ...texts } = input
    return c.json(
      {
        id,
        reg: stored.reg,
        ...texts,
        status: 'active' as const,
        ownership_status: 'unverified' as const,
        tasks_completed: 0,
        tasks_failed: 0,
        incident_count: 0,
        trust_score_overall: null,
        registered_at: now.toISOString(),
      },
      201,
    )
  })
  .openapi(getAgent, async (c) => {
    const { reg } = c.req.valid('param')
    const found = await findAgent(c.get('db'), requireKnownNumber(reg), utcDay(c.get('now')()))
    if (!found) throw agentNotFound(reg)
    return c.json(toProfile(found), 200)
  })
