import { z } from '@hono/zod-openapi'
import { regNumber, textField, timestamp } from '../wire/fields.ts'
import { DOMAIN_MAX } from './domain.ts'

const DOMAIN_EXAMPLE = 'agents.example.com'
const TOKEN_EXAMPLE = 'u8RkQ2vZ0aXwT5nJm3LpCfYdS7eHgB1i'

const methods = z
  .enum(['dns', 'http'], { error: 'must be dns or http' })
  .openapi({ description: 'dns: a TXT record; http: a file of the web site', example: 'dns' })
const domain = z.string().openapi({ description: 'In lower case and punycode', example: DOMAIN_EXAMPLE })
const expires_at = timestamp.openapi({ description: 'Verify before then, else ask for a new challenge' })

/** Body of POST /agents/{reg}/ownership/challenge. */
export const challengeInput = z
  .object({
    domain: textField(DOMAIN_MAX).openapi({
      description: 'A public domain name, without scheme, port or path',
      example: DOMAIN_EXAMPLE,
    }),
    method: methods,
  })
  .openapi('ChallengeInput')

/** What to publish to prove a domain. */
export const challenge = z
  .union([
    z.object({
      method: z.literal('dns'),
      domain,
      record_name: z.string().openapi({ example: `_reg-agent.${DOMAIN_EXAMPLE}` }),
      record_type: z.literal('TXT'),
      record_value: z.string().openapi({ example: `reg-agent=REG-2026-0001-0042-U:${TOKEN_EXAMPLE}` }),
      expires_at,
    }),
    z.object({
      method: z.literal('http'),
      domain,
      url: z.string().openapi({ example: `https://${DOMAIN_EXAMPLE}/.well-known/reg-agent.json` }),
      content: z
        .object({ reg: regNumber, token: z.string().openapi({ example: TOKEN_EXAMPLE }) })
        .openapi({ description: 'The JSON of the file, or one entry of an array in it' }),
      expires_at,
    }),
  ])
  .openapi('OwnershipChallenge')

/** A proof that has been found. */
export const ownership = z
  .object({
    reg: regNumber,
    ownership_status: z.literal('verified'),
    domain,
    method: methods,
    verified_at: timestamp,
  })
  .openapi('Ownership')
