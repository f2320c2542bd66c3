import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { PERMISSIONS } from '../db/enums.ts'
import { count, pageOf, recordId, timestamp } from '../wire/answers.ts'
import { NAME_EXAMPLE } from './schema.ts'

const shared = {
  id: recordId,
  name: z.string().meta({ example: NAME_EXAMPLE }),
  key_prefix: z.string().meta({ example: 'reg_live_4fJq0w2Z' }),
  permissions: z.array(z.enum(PERMISSIONS)).meta({ example: ['activity:report'] }),
  rate_limit_per_minute: z
    .number()
    .int()
    .meta({ description: 'Not above the maximum of your tier, as it is now', example: 60 }),
  expires_at: timestamp.nullable().meta({ example: null }),
  created_at: timestamp,
}

/** A fresh key: the only answer that shows it. */
export const keyCreated = z
  .object({ ...shared, key: z.string().meta({ example: 'reg_live_4fJq0w2Z…' }) })
  .meta({ id: 'ApiKeyCreated' })

/** A key as the list shows it. */
const keyShown = z
  .object({
    ...shared,
    status: z.enum(['active', 'revoked']),
    last_used_at: timestamp.nullable(),
    requests_count: count(1_240),
    revoked_at: timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'ApiKey' })

/** The answer to the revocation of a key. */
export const keyRevoked = z
  .object({ id: recordId, status: z.literal('revoked'), revoked_at: timestamp })
  .meta({ id: 'ApiKeyRevoked' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  listPlatformApiKeys: {
    tag: 'Platforms',
    summary: "The API keys of a platform of one's own, newest first, revoked ones too; never a full key",
    responses: { 200: json(pageOf(keyShown), 'A page of keys') },
    errors: ['NOT_FOUND'],
  },
  createPlatformApiKey: {
    tag: 'Platforms',
    summary: 'Create an API key of a platform; the full key is shown this once',
    description:
      'It acts for the platform: with `activity:report` it reports for the agents that are registered on the platform, with `read` it sees what was reported since they joined. Under `admission: approval` both need the agent to be confirmed. Whoever registered the platform answers for it, and its key counts among theirs.',
    responses: { 201: json(keyCreated, 'The key') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  updatePlatformApiKey: {
    tag: 'Platforms',
    summary: "Change the name or the limit of a platform's key",
    description: 'The highest limit is that of your tier, as for keys of your own.',
    responses: { 200: json(keyShown, 'The changed key') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  revokePlatformApiKey: {
    tag: 'Platforms',
    summary: "Revoke a platform's API key permanently",
    description:
      'No call that begins after this answer is let in with the key. A second revocation answers the same.',
    responses: { 200: json(keyRevoked, 'The key is revoked') },
    errors: ['NOT_FOUND'],
  },
  listApiKeys: {
    tag: 'API keys',
    summary: 'The API keys of the operator, newest first, revoked ones too; never a full key',
    responses: { 200: json(pageOf(keyShown), 'A page of keys') },
  },
  createApiKey: {
    tag: 'API keys',
    summary: 'Create an API key; the full key is shown this once',
    description:
      'Only a salted hash of the key is kept: whoever loses it has to create another. Ten calls a minute; 409 when there are as many live keys, those of platforms included, as the tier allows: revoked and expired ones do not count.',
    responses: { 201: json(keyCreated, 'The key') },
    errors: ['CONFLICT'],
  },
  updateApiKey: {
    tag: 'API keys',
    summary: "Change a key's name or its limit",
    description:
      'The highest limit depends on the tier: free 60, pro 600, business 3,000, enterprise 10,000 calls a minute.',
    responses: { 200: json(keyShown, 'The changed key') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  revokeApiKey: {
    tag: 'API keys',
    summary: 'Revoke an API key permanently',
    description:
      'No call that begins after this answer is let in with the key. A second revocation answers the same.',
    responses: { 200: json(keyRevoked, 'The key is revoked') },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
