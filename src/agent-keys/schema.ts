import * as z from 'zod'
import { KEY_REASONS } from '../db/enums.ts'
import { regParam } from '../wire/fields.ts'
import { isoTime } from '../wire/moment.ts'

export const KID_EXAMPLE = 'eopIuJ0-hv-SGIxuYuMJJX97YSfgW6tf5hOrQRr1C7I'
export const X_EXAMPLE = 'lbhOmROU4SniIbuOpx8zt9-7FtuMIvx30EA-GqitFIQ'
const PROOF_MAX = 2_048

export const kidParam = z.object({
  kid: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be the thumbprint of a key: 43 characters of base64url')
    .register(z.globalRegistry, {
      param: { name: 'kid', in: 'path' },
      description: 'Thumbprint of the key (RFC 7638, SHA-256)',
      example: KID_EXAMPLE,
    }),
})

export const ownKeyParams = regParam.extend(kidParam.shape)

export const agentKeyInput = z
  .object({
    proof: z
      .string('must be a text')
      .max(PROOF_MAX, `at most ${PROOF_MAX} characters`)
      .regex(/^[\w.-]*$/, 'malformed: must be a signed JWS in compact form, in base64url without padding')
      .register(z.globalRegistry, {
        description:
          'Proof of possession: a JWS in compact form, signed with the key. Header: `alg` `EdDSA`, `typ` `agent-key-proof+jwt`, and the public key as `jwk`. Claims: `aud` (the URL of this registry), `sub` (the agent number), and `iat` (Unix seconds, within the last 10 minutes)',
        example:
          'eyJhbGciOiJFZERTQSIsInR5cCI6ImFnZW50LWtleS1wcm9vZitqd3QifQ.eyJzdWIiOiJSRUctMjAyNi0wMDAxLTAwNDItVSJ9.c2lnbmF0dXJl',
      }),
    expires_at: isoTime('must be an ISO 8601 time, such as 2027-01-31T00:00:00Z')
      .nullish()
      .register(z.globalRegistry, {
        description:
          'Time at which the key expires, in UTC unless it has an offset; in the future, and at most two years ahead. If omitted, the key does not expire',
        example: '2027-11-21T10:00:00Z',
      }),
  })
  .meta({ id: 'AgentKeyInput', description: 'A public key of an agent, proved by a signature' })

export type AgentKeyInput = z.infer<typeof agentKeyInput>

export const revocationQuery = z.object({
  reason: z
    .enum(KEY_REASONS, `must be one of ${KEY_REASONS.join(', ')}`)
    .default('rotated')
    .register(z.globalRegistry, {
      param: { name: 'reason', in: 'query' },
      description: 'Why the key is revoked; public, and permanently in the transparency log',
      default: 'rotated',
      example: 'compromised',
    }),
})
