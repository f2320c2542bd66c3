import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { DOMAIN_EXAMPLE, REG_EXAMPLE } from '../wire/fields.ts'
import { regNumber, timestamp, warnings } from '../wire/responses.ts'
import { domain, methods } from './schema.ts'

const TOKEN_EXAMPLE = 'u8RkQ2vZ0aXwT5nJm3LpCfYdS7eHgB1i'

const expires_at = timestamp.meta({
  description: 'The challenge expires at this time; verify before then, or create a new one',
})

const dnsChallenge = z
  .object({
    method: z.literal('dns').meta({ description: 'Proof by a DNS TXT record' }),
    domain: domain,
    record_name: z
      .string()
      .meta({ description: 'Name of the DNS record', example: `_reg-agent.${DOMAIN_EXAMPLE}` }),
    record_type: z.literal('TXT').meta({ description: 'Type of the DNS record' }),
    record_value: z
      .string()
      .meta({ description: 'Value of the DNS record', example: `reg-agent=${REG_EXAMPLE}:${TOKEN_EXAMPLE}` }),
    expires_at,
    warnings,
  })
  .meta({ id: 'DnsChallenge', description: 'DNS record to publish' })

const httpChallenge = z
  .object({
    method: z.literal('http').meta({ description: 'Proof by a file on the website' }),
    domain: domain,
    url: z.string().meta({
      description: 'URL of the file',
      example: `https://${DOMAIN_EXAMPLE}/.well-known/reg-agent.json`,
    }),
    content: z
      .object({
        reg: regNumber,
        token: z.string().meta({ description: 'Token of the challenge', example: TOKEN_EXAMPLE }),
      })
      .meta({ description: 'Content of the file: this JSON object, or an array that contains it' }),
    expires_at,
    warnings,
  })
  .meta({ id: 'HttpChallenge', description: 'File to publish' })

export const challenge = z
  .discriminatedUnion('method', [dnsChallenge, httpChallenge])
  .meta({ id: 'OwnershipChallenge', description: 'What to publish to verify a domain' })

export const ownership = z
  .object({
    reg: regNumber,
    ownership_status: z.literal('verified').meta({ description: 'The domain is verified' }),
    domain: domain,
    method: methods,
    verified_at: timestamp.meta({ description: 'Time of the verification' }),
  })
  .meta({ id: 'Ownership', description: 'Verified domain of an agent' })

export const responses = describeRoutes('Ownership', {
  challengeOwnership: {
    summary: 'Create a challenge to verify the domain of an agent',
    description:
      'Publish the TXT record or file from the response unchanged, then verify within 7 days. A new challenge replaces the previous one. The current domain remains verified until another one is verified.',
    responses: { 201: json(challenge, 'What to publish') },
    errors: ['NOT_FOUND'],
  },
  verifyOwnership: {
    summary: 'Verify the domain of an agent',
    description:
      'Looks up the TXT record or file of the pending challenge. If it is not found, the endpoint returns 409 and the message states what was found instead. Without a pending challenge, the endpoint returns the domain that is already verified, or 409 `CONFLICT`. Keep the record or file published: it is checked again every week, and after three failed checks in a row the agent becomes unverified.',
    responses: { 200: json(ownership, 'The domain is verified') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
})
