import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { regNumber, timestamp } from '../wire/answers.ts'
import { DOMAIN_EXAMPLE, REG_EXAMPLE } from '../wire/fields.ts'
import { domain, methods } from './schema.ts'

const TOKEN_EXAMPLE = 'u8RkQ2vZ0aXwT5nJm3LpCfYdS7eHgB1i'

const expires_at = timestamp.meta({ description: 'Verify before then, else ask for a new challenge' })

/** What to publish to prove a domain. */
export const challenge = z
  .union([
    z.object({
      method: z.literal('dns'),
      domain,
      record_name: z.string().meta({ example: `_reg-agent.${DOMAIN_EXAMPLE}` }),
      record_type: z.literal('TXT'),
      record_value: z.string().meta({ example: `reg-agent=${REG_EXAMPLE}:${TOKEN_EXAMPLE}` }),
      expires_at,
    }),
    z.object({
      method: z.literal('http'),
      domain,
      url: z.string().meta({ example: `https://${DOMAIN_EXAMPLE}/.well-known/reg-agent.json` }),
      content: z
        .object({ reg: regNumber, token: z.string().meta({ example: TOKEN_EXAMPLE }) })
        .meta({ description: 'The JSON of the file, or one entry of an array in it' }),
      expires_at,
    }),
  ])
  .meta({ id: 'OwnershipChallenge' })

/** A proof that has been found. */
export const ownership = z
  .object({
    reg: regNumber,
    ownership_status: z.literal('verified'),
    domain,
    method: methods,
    verified_at: timestamp,
  })
  .meta({ id: 'Ownership' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  challengeOwnership: {
    tag: 'Ownership',
    summary: 'Ask what to publish to prove that the operator of an agent holds a domain',
    description:
      'Publish the answer as it is, then verify, within 7 days. A new challenge takes the place of the one before; a domain that is verified stays so until another one is.',
    responses: { 201: json(challenge, 'What to publish') },
    errors: ['NOT_FOUND'],
  },
  verifyOwnership: {
    tag: 'Ownership',
    summary: 'Look for the published proof of an agent',
    description:
      'Without a pending challenge, the answer is that of the domain verified before, or 409 `CONFLICT`. When the proof is not found it is 409 too, and the message says what was. Leave it published: it is looked up again every week, and after three misses in a row the agent is unverified.',
    responses: { 200: json(ownership, 'The domain is verified') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} satisfies Answers
