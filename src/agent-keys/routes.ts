import { body, endpoint, router } from '../api/endpoint.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { readChangeable } from '../members/prefetch.ts'
import { signedPart, signToken } from '../transparency/token.ts'
import { requireSigner } from '../verify/token-keys.ts'
import { toVerification } from '../verify/verification.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import { addKey, revokeAgentKey } from './manage.ts'
import { responses } from './responses.ts'
import { agentKeyInput, kidParam, ownKeyParams, revocationQuery } from './schema.ts'
import { findAgentKey, findKeyStatement, listAgentKeys } from './store.ts'

export const agentKeyRoutes = router()
  .openapi(
    endpoint({
      ...responses.addAgentKey,
      method: 'post',
      path: '/agents/{reg}/keys',
      access: { by: 'session', limit: 'strict', prefetch: readChangeable },
      request: { params: regParam, body: body(agentKeyInput) },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const { key, isNew } = await addKey(c, reg, c.req.valid('json'))
      return isNew ? c.json(key, 201) : c.json(key, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.listAgentKeys,
      method: 'get',
      path: '/agents/{reg}/keys',
      access: { by: 'anyone' },
      request: { params: regParam, query: pagesOnly },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const page = c.req.valid('query')
      const found = await listAgentKeys(c.get('db'), requireValidNumber(reg), page, c.get('now')())
      if (!found) throw agentNotFound(reg)
      return publicJson(c, { data: found.data, pagination: paginate(c, page, found.total) })
    },
  )
  .openapi(
    endpoint({
      ...responses.revokeAgentKey,
      method: 'delete',
      path: '/agents/{reg}/keys/{kid}',
      access: { by: 'session', limit: 'session', prefetch: readChangeable },
      request: { params: ownKeyParams, query: revocationQuery },
    }),
    async (c) => {
      return c.json(await revokeAgentKey(c, c.req.valid('param'), c.req.valid('query').reason), 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.getAgentKey,
      method: 'get',
      path: '/agent-keys/{kid}',
      access: { by: 'address', limit: 'log' },
      request: { params: kidParam },
      cache: 'public',
    }),
    async (c) => {
      const { kid } = c.req.valid('param')
      const key = await findAgentKey(c.get('db'), kid, c.get('now')())
      if (!key) throw unknownKey(kid)
      return publicJson(c, key)
    },
  )
  .openapi(
    endpoint({
      ...responses.getAgentKeyToken,
      method: 'get',
      path: '/agent-keys/{kid}/token',
      access: { by: 'address', limit: 'log' },
      request: { params: kidParam },
      cache: 'public',
    }),
    async (c) => {
      const { kid } = c.req.valid('param')
      const now = c.get('now')()
      const { BASE_URL: issuer, LOG_KEY } = c.get('env')
      const signer = await requireSigner(c.get('env'))
      const { key, found, head } = await findKeyStatement(c.get('db'), kid, now)
      if (!key || !found) throw unknownKey(kid)
      if (key.status !== 'active') throw new ApiError('NOT_FOUND', `the key ${kid} is ${key.status}`)
      const verification = toVerification(found, now)
      const holder = { ...key, index: key.log.added }
      const statement = { issuer, verification, log: LOG_KEY ? head : null, holder }
      const signed = await signToken(statement, signer, now)
      return publicJson(c, signed, signedPart(signed.token))
    },
  )

function unknownKey(kid: string): ApiError {
  return new ApiError('NOT_FOUND', `no agent has the key ${kid}`)
}
