import { responses as activity } from '../../src/activity/responses.ts'
import { responses as agentKeys } from '../../src/agent-keys/responses.ts'
import { responses as agents } from '../../src/agents/responses.ts'
import type { RouteResponses } from '../../src/api/responses.ts'
import { responses as audit } from '../../src/audit/responses.ts'
import { responses as auth } from '../../src/auth/responses.ts'
import { responses as incidents } from '../../src/incidents/responses.ts'
import { responses as keys } from '../../src/keys/responses.ts'
import { responses as kyc } from '../../src/kyc/responses.ts'
import { responses as members } from '../../src/members/responses.ts'
import { responses as notifications } from '../../src/notifications/responses.ts'
import { responses as operators } from '../../src/operators/responses.ts'
import { responses as ownership } from '../../src/ownership/responses.ts'
import { responses as platforms } from '../../src/platforms/responses.ts'
import { responses as tlog } from '../../src/tlog/responses.ts'
import { responses as trust } from '../../src/trust/responses.ts'
import { responses as verify } from '../../src/verify/responses.ts'
import { responses as webhooks } from '../../src/webhooks/manage/responses.ts'

/** The responses of all routes, by `operationId`. */
export const RESPONSES: ReadonlyMap<string, RouteResponses> = new Map(
  [
    activity,
    agents,
    agentKeys,
    audit,
    auth,
    incidents,
    keys,
    kyc,
    notifications,
    operators,
    ownership,
    platforms,
    members,
    tlog,
    trust,
    verify,
    webhooks,
  ].flatMap((feature) => Object.entries<RouteResponses>(feature)),
)
