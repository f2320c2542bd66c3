import { z } from 'zod'
import { makeAgentKey, proofOf } from '../../packages/cli/src/agent-key.ts'
import { type JwkSet, registeredAgents, signRequest, verifyRequest } from '../../packages/verify/index.ts'
import { showCall } from './call.ts'
import { say, step } from './print.ts'

const ORIGIN = 'https://shop.example'
const URL_OF_ORDERS = `${ORIGIN}/orders`
const BODY = '{"item":7}'

const keyShape = z.object({ kid: z.string(), status: z.string() })
const tokenShape = z.object({ token: z.string() })

/**
 * Registers a key of the agent, signs a request with it, and verifies the request without the registry; then revokes the
 * key and verifies another request.
 *
 * @throws Error when the first request is not verified, a changed one or the second one is
 */
export async function showSignedRequest(
  baseUrl: string,
  as: { variable: string; token: string },
  reg: string,
): Promise<void> {
  step(
    'Sign a request as the agent',
    'The agent proves that it has a private key, which never leaves its machine. With it, it signs its requests:',
    'a shop that has never heard of it knows who is calling.',
  )
  const api = `${baseUrl}/api/v1`
  const { key } = makeAgentKey()
  const proof = proofOf({ kid: '', key }, baseUrl, reg)
  const path = `/agents/${reg}/keys`
  const { kid } = await showCall(api, {
    method: 'POST',
    path,
    as,
    body: { proof },
    status: 201,
    shape: keyShape,
  })
  const { token } = await showCall(api, {
    method: 'GET',
    path: `/agent-keys/${kid}/token`,
    status: 200,
    shape: tokenShape,
  })

  const signatureAgent = `${baseUrl}/agents/${reg}/jwks.json`
  const signed = async (more: object) => {
    const headers = await signRequest(
      { method: 'POST', url: URL_OF_ORDERS },
      { key, signatureAgent, body: BODY, ...more },
    )
    return (body: string) => new Request(URL_OF_ORDERS, { method: 'POST', headers, body })
  }
  const keys = (await (await fetch(`${baseUrl}/.well-known/jwks.json`)).json()) as JwkSet
  const offline = registeredAgents(baseUrl, { keys, fetch: async () => Promise.reject(new Error('offline')) })
  const request = await signed({ token })
  const shown = await verifyRequest(request(BODY), { agents: offline, origin: ORIGIN })
  if (shown.agent?.reg !== reg) throw new Error(`the signed request is not verified: ${shown.reason}`)
  say(`→ verified offline: POST ${URL_OF_ORDERS} ${BODY} is from ${reg}, ${shown.agent.name}`)
  const changed = await verifyRequest(request('{"item":8}'), { agents: offline, origin: ORIGIN })
  if (changed.reason !== 'bad_digest') throw new Error('a request with another body is verified')
  say(`→ rejected, as it must be: the same request with another body (${changed.reason})`)

  const revoked = `${path}/${kid}?reason=compromised`
  await showCall(api, { method: 'DELETE', path: revoked, as, status: 200, shape: keyShape })
  const after = await verifyRequest((await signed({}))(BODY), {
    agents: registeredAgents(baseUrl),
    origin: ORIGIN,
  })
  if (after.reason !== 'unknown_key') throw new Error('a request signed with a revoked key is verified')
  say(`→ rejected, as it must be: a new request with the revoked key (${after.reason})`)
}
