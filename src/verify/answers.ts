import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import {
  agentClass,
  agentName,
  count,
  kycStatus,
  nameChangedAt,
  nameVerified,
  operatorId,
  operatorName,
  operatorStatus,
  overallScore,
  ownershipStatus,
  platformName,
  platformSlug,
  platformState,
  provedDomain,
  regNumber,
  timestamp,
} from '../wire/answers.ts'

const quick = {
  reg: regNumber,
  registered: z.literal(true),
  active: z.boolean().meta({ example: true }),
  name: agentName,
  class: agentClass,
  ownership_status: ownershipStatus,
  domain: provedDomain,
  operator_id: operatorId,
  operator_name: operatorName,
  operator_name_verified: nameVerified,
  operator_kyc_status: kycStatus,
  operator_status: operatorStatus,
  trust_score_overall: overallScore,
  checked_at: timestamp,
}

/** Quick verification of an agent. */
export const verification = z.object(quick).meta({ id: 'Verification' })

const points = (example: number) => z.number().nullable().meta({ example })

/** Full verification: the quick one with the numbers behind it. */
export const fullVerification = z
  .object({
    ...quick,
    overall: points(94.2),
    reliability: points(95.1),
    accuracy: points(88.8),
    safety: points(96.9),
    speed: points(96.9),
    consistency: points(95.5),
    events_considered: count(250),
    tasks_completed: count(245),
    tasks_failed: count(5),
    incident_count: count(0),
    open_incident_count: count(0),
    registered_at: timestamp,
    name_changed_at: nameChangedAt,
    last_active_at: timestamp.nullable(),
    platform_name: platformName,
    platform_slug: platformSlug,
    platform_state: platformState,
  })
  .meta({ id: 'FullVerification' })

/** A verification that others can check. */
export const verificationToken = z
  .object({
    token: z.string().meta({
      description:
        'A JSON Web Signature in its compact form (ES256). Its claims: `iss` the address of this service, `sub` the agent ' +
        'number, `iat` the beginning of the minute, `exp` 15 minutes later, `verification` the answer of GET /verify/{reg}, and `log` the newest signed head of the ' +
        'transparency log, left out where there is none',
      example: 'eyJhbGciOiJFUzI1NiIs….eyJpc3MiOiJodHRwczov….q8fXk0Zb2nV1c…',
    }),
    expires_at: timestamp,
  })
  .meta({ id: 'VerificationToken' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  verifyAgent: {
    tag: 'Verification',
    summary: 'Quick verification: is this agent registered and active, and how far can it be trusted',
    responses: { 200: json(verification, 'The agent is registered') },
    errors: ['NOT_FOUND'],
  },
  getVerificationToken: {
    tag: 'Verification',
    summary: 'Verification token: the quick verification, signed for 15 minutes',
    description:
      'It does not prove that whoever shows it is that agent: anybody can fetch it. It states facts about an agent ' +
      'number that can be checked without asking this service, by the keys at `/.well-known/jwks.json`. The token of an ' +
      'agent that is deactivated, or whose operator is suspended, says so. Responses of one minute are the same but for ' +
      'their signature. A registry that signs no tokens answers 404 for every number.',
    responses: {
      200: json(verificationToken, 'The agent is registered; what is said of it stands in the token'),
    },
    errors: ['NOT_FOUND'],
  },
  verifyAgentFully: {
    tag: 'Verification',
    summary: 'Full verification: the quick one with the numbers behind it',
    responses: { 200: json(fullVerification, 'The agent is registered') },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
