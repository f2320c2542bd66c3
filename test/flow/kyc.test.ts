import { afterAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { type Operator, ownStack } from '../support/harness.ts'
import { kycControl, plus, START } from '../support/kyc.ts'
import { countSteps } from '../support/steps.ts'

const own = await ownStack() // its own stack, because its jobs run with dates a year ahead
afterAll(own.stop)
const kyc = kycControl(own)

/** Read from the table, because a session of today has expired a year later. */
async function statusOf({ id }: Operator): Promise<string> {
  const [row] = await own.sql('select kyc_status from operators where id = $1', [id])
  return row.kyc_status
}

/** The reminders of an operator about the end of its verification, newest first. */
const remindersOf = ({ id }: Operator) =>
  own.sql(
    `select title, body from notifications where operator_id = $1 and type = 'kyc_reminder'
     order by created_at desc`,
    [id],
  )

it('ends after 365 days, and the operator may start again', async () => {
  const verifiedAt = new Date()
  const operator = await kyc.verifiedOperator(verifiedAt)
  await own.cron(plus(365 * DAY_MS - 60_000, verifiedAt))
  expect(await statusOf(operator)).toBe('verified')
  const over = plus(365 * DAY_MS + 60_000, verifiedAt)
  await Promise.all([own.cron(over), own.cron(over)])
  expect(await statusOf(operator)).toBe('expired')
  const back = await own.newOperator({ email: operator.email, now: over })
  expect((await own.api('POST', START, { token: back.token, now: over })).status).toBe(200)
  expect(await statusOf(operator)).toBe('pending')
  await kyc.send('canceled', await kyc.openSession(operator), { now: over })
  expect(await statusOf(operator)).toBe('expired')
})

it('sends one reminder 30 and one 7 days before its end, also with concurrent jobs', async () => {
  const verifiedAt = new Date()
  const operator = await kyc.verifiedOperator(verifiedAt)
  const count = async () => (await remindersOf(operator)).length
  await own.cron(plus(335 * DAY_MS - HOUR_MS, verifiedAt))
  expect(await count()).toBe(0)
  const first = plus(335 * DAY_MS + HOUR_MS, verifiedAt)
  await Promise.all([own.cron(first), own.cron(first), own.cron(first)])
  expect(await count()).toBe(1)
  await own.cron(plus(350 * DAY_MS, verifiedAt))
  expect(await count()).toBe(1)
  const last = plus(358 * DAY_MS + HOUR_MS, verifiedAt)
  await Promise.all([own.cron(last), own.cron(last)])
  await own.cron(plus(364 * DAY_MS, verifiedAt))
  const reminders = await remindersOf(operator)
  expect(reminders).toHaveLength(2)
  const day = plus(365 * DAY_MS, verifiedAt)
    .toISOString()
    .slice(0, 10)
  expect(reminders[0].title).toBe(`Your identity verification expires on ${day}`)
  await own.cron(plus(366 * DAY_MS, verifiedAt))
  expect(await count()).toBe(2)
})

it('sends one reminder when both times have passed, and none to operators that opted out', async () => {
  const verifiedAt = new Date()
  const [late, quiet] = await Promise.all([
    kyc.verifiedOperator(verifiedAt),
    kyc.verifiedOperator(verifiedAt),
  ])
  const body = { notification_prefs: { kyc_reminders: false } }
  await own.api('PATCH', '/operators/me', { token: quiet.token, body })
  await own.cron(plus(360 * DAY_MS, verifiedAt))
  await own.cron(plus(361 * DAY_MS, verifiedAt))
  expect(await remindersOf(late)).toHaveLength(1)
  expect(await remindersOf(quiet)).toHaveLength(0)
})

it('takes at most four network steps, whatever the state of the last check', async () => {
  const operator = await own.newOperator()
  const { token } = operator
  const start = (now = new Date()) => countSteps(() => own.api('POST', START, { token, now }))
  await start()
  expect((await start()).steps).toBe(2)
  expect((await start(plus(25 * HOUR_MS))).steps).toBe(4)
  await kyc.stripe.identity.verificationSessions.cancel(await kyc.openSession(operator))
  await expect.poll(() => statusOf(operator)).toBe('unverified')
  expect((await start()).steps).toBe(3)
  await kyc.send('verified', await kyc.openSession(operator))
  const { steps, response } = await start()
  expect({ steps, status: response.status }).toEqual({ steps: 1, status: 409 })
})

it('processes a check that a person finished while the Worker was down', async () => {
  const operator = await own.newOperator()
  const { body } = await own.api('POST', START, { token: operator.token })
  await own.stack.worker.kill()
  await kyc.decide(body.verification_url, { outcome: 'approve' })
  expect(kyc.undelivered()).toBeGreaterThan(0)
  await own.stack.restartWorker()
  await expect.poll(() => statusOf(operator)).toBe('verified')
})
