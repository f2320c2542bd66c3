import { endpoint, router } from '../api/endpoint.ts'
import { prefetched, requireCaller } from '../credentials/authorize.ts'
import { beginCheck, readKyc } from './begin.ts'
import { responses } from './responses.ts'
import { listChecks } from './store.ts'

export const kycRoutes = router()
  .openapi(
    endpoint({
      ...responses.getKyc,
      method: 'get',
      path: '/operators/me/kyc',
      access: { by: 'session', limit: 'strict-read' },
    }),
    async (c) => c.json(await listChecks(c.get('db'), requireCaller(c).operator_id), 200),
  )
  .openapi(
    endpoint({
      ...responses.startKyc,
      method: 'post',
      path: '/operators/me/kyc/start',
      access: { by: 'session', limit: 'strict', prefetch: readKyc },
    }),
    async (c) => c.json(await beginCheck(c, prefetched(c, readKyc)), 200),
  )
