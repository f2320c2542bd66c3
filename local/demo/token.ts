import { z } from 'zod'
import { remoteKeys, verifyToken } from '../../packages/verify/index.ts'
import { say } from '../../scripts/support/print.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { showCall } from './call.ts'
import { step } from './print.ts'
import type { ProvenHead } from './transparency.ts'

const tokenShape = z.object({ token: z.string(), expires_at: z.string() })

/**
 * Fetches the verification token of the agent and verifies it with the published keys.
 *
 * @param head a verified head; the token must name it or a later one
 * @throws Error when it does not verify, or a changed one does
 */
export async function showToken(baseUrl: string, reg: string, head: ProvenHead): Promise<void> {
  step(
    'Verify the agent with a token',
    'The response of GET /verify, signed and valid for 15 minutes. A platform verifies it with cached keys.',
    'It states facts about the agent number. It does not prove that its presenter is the agent.',
  )
  const path = `/verify/${reg}/token`
  const { token } = await showCall(`${baseUrl}/api/v1`, {
    method: 'GET',
    path,
    status: 200,
    shape: tokenShape,
  })
  say(`curl -s ${baseUrl}/.well-known/jwks.json`)
  const checks = { issuer: baseUrl, keys: remoteKeys(baseUrl) }
  const { verification, log, reason } = await verifyToken(token, checks)
  if (reason !== null || verification.reg !== reg) throw new Error(`the token does not verify: ${reason}`)
  if (!log || log.size < head.size) throw new Error('the token names no head of the log, or an older head')
  if (log.size === head.size && log.root !== encodeBase64(head.root))
    throw new Error('the token and the proof name different heads of the same size: the log has forked')
  const { active, operator_status, trust_score_overall } = verification
  say(`→ valid: ${JSON.stringify({ active, operator_status, trust_score_overall })}`)
  say(`→ it names the head of ${log.size} leaves${log.size === head.size ? ', the same as the proof' : ''}`)

  const [header, , signature] = token.split('.')
  const claims = JSON.stringify({ ...verification, active: !active })
  const changed = [header, Buffer.from(claims).toString('base64url'), signature].join('.')
  if ((await verifyToken(changed, checks)).reason === null) throw new Error('a changed token verifies')
  say('→ rejected, as it must be: the same token with other claims')
}
