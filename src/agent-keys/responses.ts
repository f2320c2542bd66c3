import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { KEY_REASONS, KEY_STATUSES } from '../db/enums.ts'
import { verificationToken } from '../verify/responses.ts'
import { pageOf, regNumber, timeOrNull, timestamp, warnings } from '../wire/responses.ts'
import { KID_EXAMPLE, X_EXAMPLE } from './schema.ts'

const leafIndex = (of: string) =>
  z
    .number()
    .int()
    .nullable()
    .meta({ description: `Index of the leaf that states that the key was ${of}`, example: 4711 })

const agentKey = z
  .object({
    kid: z.string().meta({ description: 'Thumbprint of the key (RFC 7638, SHA-256)', example: KID_EXAMPLE }),
    reg: regNumber,
    alg: z.literal('ed25519').meta({ description: 'Algorithm, as HTTP message signatures name it' }),
    x: z.string().meta({ description: 'The public key: 32 bytes in base64url', example: X_EXAMPLE }),
    status: z.enum(KEY_STATUSES).meta({
      description:
        '`active`: not revoked or expired. An active key still signs for nobody while its agent is deactivated or its operator suspended',
    }),
    added_at: timestamp.meta({ description: 'When the key was registered' }),
    expires_at: timeOrNull('When the key expires; null if it does not', null),
    revoked_at: timeOrNull('When the key was revoked; null if it was not', null),
    reason: z
      .enum(KEY_REASONS)
      .nullable()
      .meta({ description: 'Why the key was revoked; null if it was not', example: null }),
    log: z
      .object({ added: leafIndex('added'), revoked: leafIndex('revoked') })
      .meta({ description: 'Leaves in the transparency log; null until a signed head covers them' }),
    warnings,
  })
  .meta({ id: 'AgentKey', description: 'Public key with which an agent signs its requests' })

const agentKeyPage = pageOf(agentKey).meta({ id: 'AgentKeyPage', description: 'Page of keys of an agent' })

export const responses = describeRoutes('Agent keys', {
  addAgentKey: {
    summary: 'Register a public key with which an agent signs its requests',
    description:
      'The proof is made where the private key is, and never contains it. An agent has at most five valid keys, and a key belongs permanently to the agent that registered it first. To rotate, register a new key, use it, then revoke the old one. Registering counts as a change to the agent.',
    responses: {
      200: json(agentKey, 'The agent already has this valid key; nothing was changed'),
      201: json(agentKey, 'The key'),
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'AGENT_DEACTIVATED'],
  },
  listAgentKeys: {
    summary: 'List the keys of an agent, newest first',
    description:
      'Includes expired and revoked keys. The keys that are valid are in `/agents/{reg}/jwks.json`, too.',
    responses: { 200: json(agentKeyPage, 'A page of keys') },
    errors: ['NOT_FOUND'],
  },
  revokeAgentKey: {
    summary: 'Revoke a key of an agent, permanently',
    description:
      'Takes effect at once, and is never refused by a quota. Revoking a key again returns the same response.',
    responses: { 200: json(agentKey, 'The revoked key') },
    errors: ['NOT_FOUND'],
  },
  getAgentKey: {
    summary: 'Find the agent to which a key belongs or belonged',
    description: 'The `keyid` of a signed request is the `kid` of the key.',
    responses: { 200: json(agentKey, 'The key') },
    errors: ['NOT_FOUND'],
  },
  getAgentKeyToken: {
    summary: 'Get a verification token that names a key of the agent',
    description:
      'The token of `/verify/{reg}/token` with two more claims: `cnf` contains the public key (RFC 7800), and `key` says when it was added (`added_at`) and the leaf that states so (`index`, or null). With a request that is signed with this key, it proves that the sender is the agent. It expires at the latest with the key. For a key that is unknown, revoked, or expired, the endpoint returns 404.',
    responses: { 200: json(verificationToken, 'The token') },
    errors: ['NOT_FOUND'],
  },
})
