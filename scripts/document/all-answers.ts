import { answers as activity } from '../../src/activity/answers.ts'
import { answers as agents } from '../../src/agents/answers.ts'
import type { Answer } from '../../src/api/answers.ts'
import { answers as audit } from '../../src/audit/answers.ts'
import { answers as auth } from '../../src/auth/answers.ts'
import { answers as incidents } from '../../src/incidents/answers.ts'
import { answers as keys } from '../../src/keys/answers.ts'
import { answers as kyc } from '../../src/kyc/answers.ts'
import { answers as members } from '../../src/members/answers.ts'
import { answers as notifications } from '../../src/notifications/answers.ts'
import { answers as operators } from '../../src/operators/answers.ts'
import { answers as ownership } from '../../src/ownership/answers.ts'
import { answers as platforms } from '../../src/platforms/answers.ts'
import { answers as tlog } from '../../src/tlog/answers.ts'
import { answers as trust } from '../../src/trust/answers.ts'
import { answers as verify } from '../../src/verify/answers.ts'
import { answers as webhooks } from '../../src/webhooks/manage/answers.ts'

/** The answers of all routes, by `operationId`. */
export const ANSWERS: ReadonlyMap<string, Answer> = new Map(
  [
    activity,
    agents,
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
  ].flatMap((feature) => Object.entries<Answer>(feature)),
)
