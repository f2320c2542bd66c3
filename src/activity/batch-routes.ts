import { requireCaller } from '../http/auth.ts'
import { endpoint, json, jsonRequest, router } from '../http/endpoint.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { incidentOf } from '../incidents/opened.ts'
import { uuidv7 } from '../lib/ids.ts'
import { publishFirst } from '../webhooks/publish.ts'
import { judgeItem, toBatchAnswer } from './batch.ts'
import { batchAnswer, batchInput, PARTLY_STORED } from './batch-schema.ts'
import { appendBatch, factsOf } from './batch-store.ts'
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
  const reported_by = reporterOf(caller)
  const now = c.get('now')()
  const items = c.req.valid('json').events.map(judgeItem)
  const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], now)
  const events = items.flatMap((item, position) =>
    'input' in item
      ? [{ ...item.input, position, id: uuidv7(now), reported_by, incident: incidentOf(item.input, now) }]
      : [],
  )
  const stored = await appendBatch(c.get('db'), caller, events, repeatable, now)
  const facts = stored.prior ? factsOf(replay(c, repeatable, stored.prior)) : stored.facts
  publishFirst(c, stored.deliveries)
  const answer = toBatchAnswer(items, facts, reported_by)
  return c.json(answer, answer.rejected === 0 ? 201 : 207)
})
