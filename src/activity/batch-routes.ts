import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { factsOf, judgeItem, toBatchAnswer, toEvents } from './batch.ts'
import { batchAnswer, batchInput, PARTLY_STORED } from './batch-schema.ts'
import { appendBatch } from './batch-store.ts'
import { reporterOf } from './reporter.ts'

const BODY_MAX_BYTES = 1024 * 1024

const postBatch = endpoint({
  method: 'post',
  path: '/activity/report/batch',
  operationId: 'reportActivityBatch',
  tag: 'Activity',
  access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
  summary: 'Report up to 1000 activity events, each judged on its own',
  description:
    'The envelope is judged first: when it is malformed nothing is stored. Then each event is judged on its own, in the order of the request.',
  request: { headers: idempotencyHeaders, body: jsonRequest(batchInput) },
  maxBodyBytes: BODY_MAX_BYTES,
  responses: {
    201: json(batchAnswer, 'All events are stored'),
    207: json(batchAnswer, 'Some events are not stored, or none; each result says why', PARTLY_STORED),
  },
  errors: ['IDEMPOTENCY_MISMATCH'],
})

export const batchRoutes = router().openapi(postBatch, async (c) => {
  const caller = requireCaller(c)
  const now = c.get('now')()
  const items = c.req.valid('json').events.map(judgeItem)
  const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], now)
  const stored = await appendBatch(c.get('db'), caller, toEvents(items, now), repeatable, now)
  const facts = stored.prior ? factsOf(replay(c, repeatable, stored.prior), items) : stored.facts
  publishFirst(c, stored.deliveries)
  const answer = toBatchAnswer(items, facts, reporterOf(caller))
  return c.json(answer, answer.rejected === 0 ? 201 : 207)
})
