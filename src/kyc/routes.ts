import { router } from '../api/endpoint.ts'
import { besideOf, requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { endOfDay } from '../lib/time.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { refusedToday } from '../wire/ceiling.ts'
import type { answers } from './answers.ts'
import { startCheck } from './start.ts'
import { findStanding, listChecks } from './store.ts'
import { stripeIdentity } from './stripe.ts'
import { CHECKS_PER_DAY } from './terms.ts'

export const kycRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'getKyc',
      method: 'get',
      path: '/operators/me/kyc',
      access: { by: 'session', limit: 'session' },
    },
    async (c) => c.json(await listChecks(c.get('db'), requireCaller(c).operator_id), 200),
  )
  .endpoint(
    {
      operationId: 'startKyc',
      method: 'post',
      path: '/operators/me/kyc/start',
      access: { by: 'session', limit: 'strict', beside: readStanding },
    },
    async (c) => {
      const { db, env, signal, now, later } = c.var
      const at = now()
      const started = await startCheck({
        db,
        provider: stripeIdentity(env, signal),
        env,
        operatorId: requireCaller(c).operator_id,
        standing: standingOf(c),
        now: at,
        later,
      })
      switch (started.outcome) {
        case 'pending': {
          const { kyc_status, verification_url } = started
          return c.json({ kyc_status, verification_url }, 200)
        }
        case 'verified':
          publishFirst(c, started.deliveries)
          throw new ApiError(
            'CONFLICT',
            `you are verified; a new check can start from ${started.renewable_at.toISOString()} on`,
          )
        case 'another_person':
          throw new ApiError(
            'CONFLICT',
            'the check has failed: the document is of another person than the one who was verified before; that person may start again, or the service releases the account',
          )
        case 'used_up':
          throw checksUsedUp(at)
        case 'overtaken':
          throw new ApiError('CONFLICT', 'a check has just ended, start again')
      }
    },
  )

function readStanding(c: Ctx, { id }: Token) {
  return findStanding(c.get('db'), id, c.get('now')())
}

function checksUsedUp(now: Date): ApiError {
  const until = endOfDay(now).toISOString()
  return refusedToday(
    `an operator may start ${CHECKS_PER_DAY} identity checks on a UTC day; the next can start from ${until} on`,
    now,
  )
}

function standingOf(c: Ctx) {
  const standing = besideOf(c, readStanding)
  if (!standing) throw new Error('the operator of a live session is gone')
  return standing
}
