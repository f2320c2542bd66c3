import { body, endpoint, router } from '../api/endpoint.ts'
import { secondsLeftOfDay } from '../lib/time.ts'
import { validateItem } from './batch.ts'
import { batchInput } from './batch-schema.ts'
import { reportHeaders } from './receipt.ts'
import { report } from './report.ts'
import { responses } from './responses.ts'

const BODY_MAX_BYTES = 1024 * 1024

export const batchRoutes = router().openapi(
  endpoint({
    ...responses.reportActivityBatch,
    method: 'post',
    path: '/activity/report/batch',
    access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
    request: { headers: reportHeaders, body: body(batchInput) },
    maxBodyBytes: BODY_MAX_BYTES,
  }),
  async (c) => {
    const items = c.req.valid('json').events.map(validateItem)
    const key = c.req.valid('header')['idempotency-key']
    const { data, ...receipt } = await report(c, items, { key, isBatch: true })
    const isOverQuota = data.some((item) => 'error' in item && item.error.code === 'RATE_LIMITED')
    if (isOverQuota) c.header('Retry-After', String(secondsLeftOfDay(c.get('now')())))
    const accepted = data.filter((item) => 'event' in item).length
    const rejected = data.length - accepted
    return c.json({ data, accepted, rejected, ...receipt }, rejected === 0 ? 201 : 207)
  },
)
