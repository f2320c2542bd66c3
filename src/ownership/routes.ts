import { body, endpoint, router } from '../api/endpoint.ts'
import { prefetched } from '../credentials/authorize.ts'
import { regParam } from '../wire/fields.ts'
import { challengeAgent } from './challenge.ts'
import { checkOwnership, readOwnership } from './check.ts'
import { fileContent, fileUrl, recordName, recordValue } from './proof.ts'
import { responses } from './responses.ts'
import { challengeInput } from './schema.ts'

export const ownershipRoutes = router()
  .openapi(
    endpoint({
      ...responses.challengeOwnership,
      method: 'post',
      path: '/agents/{reg}/ownership/challenge',
      access: { by: 'session', limit: 'session' },
      request: { params: regParam, body: body(challengeInput) },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const { proof, expires_at } = await challengeAgent(c, reg, c.req.valid('json'))
      const { method, domain } = proof
      if (method === 'http') {
        return c.json({ method, domain, url: fileUrl(domain), content: fileContent(proof), expires_at }, 201)
      }
      const record = {
        record_name: recordName(domain),
        record_type: 'TXT',
        record_value: recordValue(proof),
      } as const
      return c.json({ method, domain, ...record, expires_at }, 201)
    },
  )
  .openapi(
    endpoint({
      ...responses.verifyOwnership,
      method: 'post',
      path: '/agents/{reg}/ownership/verify',
      access: { by: 'session', limit: 'strict', prefetch: readOwnership },
      request: { params: regParam },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      return c.json(await checkOwnership(c, reg, prefetched(c, readOwnership)), 200)
    },
  )
