import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { STANDINGS } from '../db/enums.ts'
import { STANDING_RULES } from '../trust/standing.ts'
import {
  agentClass,
  agentCounters,
  agentDomain,
  agentName,
  agentOperator,
  agentPlatform,
  agentScore,
  lastActiveAt,
  nameChangedAt,
  registeredAt,
} from '../wire/agent-fields.ts'
import { count, regNumber, timestamp } from '../wire/responses.ts'

const standing = z.enum(STANDINGS).meta({
  description: `The record of the agent in one word; the first that applies: ${STANDINGS.map((name) => `\`${name}\`: ${STANDING_RULES[name]}`).join('; ')}`,
  example: 'attested',
})

const quick = {
  reg: regNumber,
  registered: z
    .literal(true)
    .meta({ description: 'Always true; for an unknown number, the endpoint returns 404' }),
  active: z.boolean().meta({ description: 'Whether the agent is active', example: true }),
  name: agentName,
  class: agentClass,
  ...agentDomain,
  ...agentOperator,
  standing,
  ...agentScore,
  checked_at: timestamp.meta({ description: 'Time of the verification' }),
}

export const verification = z
  .object(quick)
  .meta({ id: 'Verification', description: 'Verification of an agent' })

const points = (example: number, of: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${of}, from 0.0 to 100.0; null if the agent has no score`, example })

export const fullVerification = z
  .object({
    ...quick,
    overall: points(94.2, 'Overall trust score'),
    reliability: points(95.1, 'Reliability'),
    accuracy: points(88.8, 'Accuracy'),
    safety: points(96.9, 'Safety'),
    speed: points(96.9, 'Speed'),
    consistency: points(95.5, 'Consistency'),
    events_considered: count(250, 'Number of events in the window of the score'),
    ...agentCounters,
    open_incident_count: count(0, 'Number of open incidents'),
    registered_at: registeredAt,
    name_changed_at: nameChangedAt,
    last_active_at: lastActiveAt,
    ...agentPlatform,
  })
  .meta({
    id: 'FullVerification',
    description: 'Full verification of an agent',
  })

export const verificationToken = z
  .object({
    token: z.string().meta({
      description:
        'A JSON Web Signature in compact form (ES256). Claims: `iss` is the URL of this service, `sub` the agent ' +
        'number, `iat` the start of the current minute, `exp` 15 minutes later, `verification` the response of GET /verify/{reg}, and `log` the newest signed head of the ' +
        'transparency log, omitted if there is none',
      example: 'eyJhbGciOiJFUzI1NiIs….eyJpc3MiOiJodHRwczov….q8fXk0Zb2nV1c…',
    }),
    expires_at: timestamp.meta({ description: 'Time at which the token expires' }),
  })
  .meta({ id: 'VerificationToken', description: 'Signed verification of an agent' })

export const responses = describeRoutes('Verification', {
  verifyAgent: {
    summary: 'Verify an agent',
    description:
      'States whether the number is registered and active, who operates the agent, what was verified about both, and the trust score. For an unknown number, the endpoint returns 404.',
    responses: { 200: json(verification, 'The agent is registered') },
    errors: ['NOT_FOUND'],
  },
  getVerificationToken: {
    summary: 'Get a verification token, valid for 15 minutes',
    description:
      'The token contains the verification of an agent, signed by the registry. It can be checked without calling this ' +
      'service, with the keys at `/.well-known/jwks.json`. It does not prove that the presenter is that agent, because ' +
      'anyone can fetch it. A token is also issued for a deactivated agent or one of a suspended operator, and states so. Responses within ' +
      'one minute differ only in their signature, unless the verification or the signed head has changed. If the registry does not sign tokens, the endpoint returns 404.',
    responses: {
      200: json(verificationToken, 'The agent is registered; the token contains its verification'),
    },
    errors: ['NOT_FOUND'],
  },
  verifyAgentInDetail: {
    summary: 'Verify an agent with all details',
    description:
      'Adds the dimensions of the trust score, the counters, and the platform to the public verification.',
    responses: { 200: json(fullVerification, 'The agent is registered') },
    errors: ['NOT_FOUND'],
  },
})
