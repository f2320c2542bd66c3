import { router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { secondsLeftOfDay } from '../lib/time.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { appendBatch } from './append-store.ts'
import { type BatchFacts, toBatchResponse, toEvents, validateItem } from './batch.ts'
import { batchInput } from './batch-schema.ts'
import { reporterOf } from './entries.ts'
import type { responses } from './responses.ts'

const BODY_MAX_BYTES = 1024 * 1024

export const batchRoutes = router<typeof responses>().endpoint(
  {
    operationId: 'reportActivityBatch',
    method: 'post',
    path: '/activity/report/batch',
    access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
    request: { headers: idempotencyHeaders, body: batchInput },
    maxBodyBytes: BODY_MAX_BYTES,
  },
  async (c) => {
    const caller = requireCaller(c)
    const now = c.get('now')()
    const items = c.req.valid('json').events.map(validateItem)
    const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], now)
    const stored = await appendBatch(c.get('db'), caller, toEvents(items, now), repeatable, now)
    const facts = stored.prior
      ? (replay(c, repeatable, stored.prior).answer as unknown as BatchFacts)
      : stored.facts
    publishFirst(c, stored.deliveries)
    const response = toBatchResponse(items, facts, reporterOf(caller))
    const isOverQuota = response.data.some((item) => 'error' in item && item.error.code === 'RATE_LIMITED')
    if (isOverQuota) c.header('Retry-After', String(secondsLeftOfDay(now)))
    return c.json(response, response.rejected === 0 ? 201 : 207)
  },
)
