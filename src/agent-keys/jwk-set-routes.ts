import { Hono } from 'hono'
import { authorize } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { keptFor, tagged } from '../http/caching.ts'
import type { App } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { isAgentNumber } from '../lib/agent-number.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { findKeySet } from './store.ts'

const KEPT_SECONDS = 300
const SET_TYPE = 'application/http-message-signatures-directory+json'
const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory'

/** The middleware of what verifiers read, who share addresses. */
export const forVerifiers = [
  publicCors(),
  keptFor(KEPT_SECONDS),
  authorize({ by: 'address', limit: 'badge' }),
] as const

/**
 * The valid keys of an agent as a JWK Set, empty if it is deactivated or its operator suspended: a 404 would keep cached
 * keys in use.
 *
 * Source: RFC 7517, section 5; draft-ietf-webbotauth-httpsig-protocol-01.
 */
export const jwkSetRoutes = new Hono<App>()
  .get('/agents/:reg/jwks.json', ...forVerifiers, async (c) => {
    const reg = c.req.param('reg') ?? ''
    const keys = isAgentNumber(reg) ? await findKeySet(c.get('db'), reg, c.get('now')()) : null
    if (!keys) throw agentNotFound(reg)
    const text = JSON.stringify({ keys })
    return tagged(c, text, text, SET_TYPE)
  })
  // Each key in it would speak for the registry.
  .get(DIRECTORY_PATH, ...forVerifiers, () => {
    throw new ApiError(
      'NOT_FOUND',
      'this registry has no keys of its own; each agent has a JWK Set: /agents/{reg}/jwks.json',
    )
  })
