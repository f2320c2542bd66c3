import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { PERMISSIONS } from '../db/enums.ts'
import { count, itemsOf, pageOf, pagination, recordId, timeOrNull, timestamp } from '../wire/responses.ts'
import { NAME_EXAMPLE } from './schema.ts'

const shared = {
  id: recordId,
  name: z.string().meta({ description: 'Name of the key', example: NAME_EXAMPLE }),
  key_prefix: z
    .string()
    .meta({ description: 'First characters of the key, for identification', example: 'reg_live_4fJq0w2Z' }),
  permissions: z
    .array(z.enum(PERMISSIONS))
    .meta({ description: 'Permissions of the key', example: ['activity:report'] }),
  rate_limit_per_minute: z.number().int().meta({
    description: 'Maximum number of requests per minute; never above the current maximum of your tier',
    example: 60,
  }),
  expires_at: timeOrNull('Time at which the key expires; null if it does not', null),
  created_at: timestamp.meta({ description: 'Time of creation' }),
}

export const keyCreated = z
  .object({
    ...shared,
    key: z.string().meta({ description: 'Full key; returned only once', example: 'reg_live_4fJq0w2Z…' }),
  })
  .meta({ id: 'ApiKeyCreated', description: 'New API key, including the full key' })

const keyShown = z
  .object({
    ...shared,
    status: z.enum(['active', 'revoked']).meta({
      description: '`active` until the key is revoked, even after it expires; a revocation is permanent',
    }),
    last_used_at: timeOrNull('Time of the last request; null if never used'),
    requests_count: count(1_240, 'Number of requests made with the key'),
    revoked_at: timeOrNull('Time of the revocation; null if the key is not revoked', null),
  })
  .meta({ id: 'ApiKey', description: 'API key, without the full key' })

export const keyRevoked = z
  .object({
    id: recordId,
    status: z.literal('revoked').meta({ description: 'Status of the key' }),
    revoked_at: timestamp.meta({ description: 'Time of the revocation' }),
  })
  .meta({ id: 'ApiKeyRevoked', description: 'Revoked API key' })

const apiKeyPage = pageOf(keyShown).meta({ id: 'ApiKeyPage', description: 'Page of API keys' })

const apiKeyList = z
  .object({ data: itemsOf(keyShown, 'API keys'), pagination: pagination.optional() })
  .meta({ id: 'ApiKeyList', description: 'API keys; `pagination` is present if a page was requested' })

const platformRoutes = describeRoutes('Platforms', {
  listPlatformApiKeys: {
    summary: 'List the API keys of a platform, newest first',
    description:
      'Includes revoked keys. The full key is never returned; use `key_prefix` to tell keys apart.',
    responses: { 200: json(apiKeyPage, 'A page of keys') },
    errors: ['NOT_FOUND'],
  },
  createPlatformApiKey: {
    summary: 'Create an API key for a platform; the full key is returned only once',
    description:
      'The key acts for the platform: with `activity:report`, it reports events for agents on the platform; with `read`, it reads what was reported since they joined. If the `admission` of the platform is `approval`, both work only for confirmed agents. The key counts toward the API key limit of the operator who registered the platform.',
    responses: { 201: json(keyCreated, 'The key') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  updatePlatformApiKey: {
    summary: "Update the name or rate limit of a platform's API key",
    description: 'The maximum rate limit is that of your tier, as for your own keys.',
    responses: { 200: json(keyShown, 'The updated key') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  revokePlatformApiKey: {
    summary: 'Revoke an API key of a platform, permanently',
    description:
      'Requests sent with the key after this response are rejected. Revoking a key again returns the same response.',
    responses: { 200: json(keyRevoked, 'The key is revoked') },
    errors: ['NOT_FOUND'],
  },
})

const operatorRoutes = describeRoutes('API keys', {
  listApiKeys: {
    summary: "List the operator's API keys, newest first",
    description:
      'Includes revoked keys, but not the keys of platforms. Returns all keys, unless `page` or `per_page` is given. The full key is never returned; use `key_prefix` to tell keys apart.',
    responses: { 200: json(apiKeyList, 'The keys') },
  },
  createApiKey: {
    summary: 'Create an API key; the full key is returned only once',
    description:
      'Only a salted hash of the key is stored, so a lost key cannot be recovered. This endpoint accepts 10 requests per minute. It returns 409 if the tier allows no more active keys; keys of your platforms count, but revoked and expired keys do not.',
    responses: { 201: json(keyCreated, 'The key') },
    errors: ['CONFLICT'],
  },
  updateApiKey: {
    summary: 'Update the name or rate limit of an API key',
    description:
      'The maximum rate limit depends on the tier: free 60, pro 600, business 3,000, enterprise 10,000 requests per minute.',
    responses: { 200: json(keyShown, 'The updated key') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  revokeApiKey: {
    summary: 'Revoke an API key, permanently',
    description:
      'Requests sent with the key after this response are rejected. Revoking a key again returns the same response.',
    responses: { 200: json(keyRevoked, 'The key is revoked') },
    errors: ['NOT_FOUND'],
  },
})

export const responses = { ...platformRoutes, ...operatorRoutes }
