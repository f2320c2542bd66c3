import { afterAll, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { type Body, type Operator, ownStack } from '../support/harness.ts'
import { kycControl, plus } from '../support/kyc.ts'
import { mailControl } from '../support/mail.ts'
import { webControl } from '../support/web.ts'

const own = await ownStack() // its own stack, because its jobs run with dates months ahead
afterAll(own.stop)
const mail = mailControl(own)
const at = (text: string) => new Date(text)

/** Without digests, which the jobs also send when a test's clock reaches Monday. */
const alertsOf = (mails: readonly Body[]) => mails.filter(({ type }) => type === 'incident_alert')

const listed = async ({ id }: Operator): Promise<Body[]> =>
  own.sql('select type from notifications where operator_id = $1', [id])

it('sends an email once when concurrent jobs publish it and QStash delivers messages twice', async () => {
  const { operator, reg, key } = await own.newReporter()
  await own.report(key, reg, { event_type: 'incident' })
  await own.qstash.setFaults({ deliverTwice: true })
  try {
    await Promise.all(Array.from({ length: 5 }, () => own.cron()))
    expect(await mail.settled(operator)).toMatchObject([{ status: 'sent', attempts: 1 }])
  } finally {
    await own.qstash.clearFaults()
  }
  expect(await mail.received(operator)).toHaveLength(1)
})

it('publishes an email again that QStash rejected or lost', async () => {
  const { operator, reg, key } = await own.newReporter()
  await own.report(key, reg, { event_type: 'incident' })
  const now = new Date()
  await own.qstash.setFaults({ rejectPublish: true })
  await expect(own.cron(now)).rejects.toThrow('jobs failed')
  await own.qstash.clearFaults()
  await own.qstash.setFaults({ loseMessage: 1 })
  await own.cron(plus(60_000, now))
  const lost = { status: 'pending', attempts: 0, published_at: plus(60_000, now) }
  expect(alertsOf(await mail.rows(operator))).toMatchObject([lost])
  await own.qstash.clearFaults()
  await own.cron(plus(8 * HOUR_MS, now))
  expect(alertsOf(await mail.rows(operator))).toMatchObject([lost])
  expect(alertsOf(await mail.settled(operator, plus(8 * HOUR_MS + 60_000, now)))).toMatchObject([
    { status: 'sent', attempts: 1 },
  ])
})

it('lets QStash repeat an email until the provider takes it', async () => {
  const { operator } = await mail.newAlerted()
  await mail.setFaults(operator, { down: 2, busy: 1 })
  await own.qstash.setClock({ mode: 'virtual' })
  try {
    await own.cron()
    await own.qstash.runUntilIdle({ limitMs: 7 * HOUR_MS, atLeast: 4 })
  } finally {
    await own.qstash.setClock({ mode: 'real' })
  }
  expect(alertsOf(await mail.rows(operator))).toMatchObject([{ status: 'sent', attempts: 4 }])
  expect(await mail.received(operator)).toHaveLength(1)
})

it('/ready shows how long the oldest email has waited, until the provider is asked', async () => {
  const { operator, reg, key } = await own.newReporter()
  const now = new Date()
  await own.report(key, reg, { event_type: 'incident' }, now)
  const waited = async (minutes: number) =>
    (await own.api('GET', '//ready', { now: plus(minutes * 60_000, now) })).body.oldest_pending_mail_seconds
  await own.qstash.setFaults({ rejectPublish: true })
  await expect(own.cron(now)).rejects.toThrow('jobs failed')
  expect(await waited(20)).toBe(1200)
  await own.qstash.clearFaults()
  await mail.settled(operator, plus(60_000, now))
  expect(await waited(60)).toBeNull()
})

describe('an email of a job', () => {
  it('is sent for the digest, with withheld notifications, unless the operator opted out', async () => {
    const signUp = at('2027-02-04T10:00:00Z')
    const { operator, reg, key } = await own.newReporter({ now: signUp })
    const off = await own.newReporter({ now: signUp })
    const body = { notification_prefs: { weekly_digest: false } }
    await own.api('PATCH', '/operators/me', { token: off.operator.token, body, now: signUp })
    for (let n = 0; n < 4; n++)
      await own.report(key, reg, { event_type: 'incident' }, plus(n * 60_000, signUp))
    const other = await own.newAgent(operator, {}, signUp)
    const critical = { event_type: 'incident', severity: 'critical' }
    for (let n = 0; n < 2; n++) await own.report(key, other.reg, critical, plus(n * 60_000, signUp))
    expect(await mail.settled(operator, plus(600_000, signUp))).toHaveLength(2)
    await mail.settled(operator, at('2027-02-08T00:00:10Z'))
    const mails = await mail.received(operator)
    const digest = mails.pop()
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'Scout, critical incident: critical: Untitled, severity critical',
      'Scout, unrated: info: Untitled, severity info',
    ])
    expect(digest?.subject).toBe('Your week from 2027-02-01 to 2027-02-07')
    expect(digest?.text).toContain('Incidents opened: 6')
    expect(digest?.text).toContain(
      `Notifications of that week that were not emailed:\n- incident alerts, Scout (${other.reg}): 1\n- incident alerts, Scout (${reg}): 3\n`,
    )
    expect(digest?.headers['List-Unsubscribe']).toContain('.weekly_digest.')
    expect(await mail.settled(off.operator, at('2027-02-08T00:01:10Z'))).toEqual([])
  })

  it('is sent when an identity verification is about to end', async () => {
    const kyc = kycControl(own)
    const operator = await kyc.verifiedOperator()
    await mail.settled(operator, plus(336 * DAY_MS))
    const reminders = (await mail.received(operator)).filter(({ subject }) => /^Your identity/.test(subject))
    expect(reminders).toMatchObject([{ text: expect.stringContaining(`${own.base_url}/console/account`) }])
  })

  it('is sent when ownership of a domain is lost', async () => {
    const web = webControl(own)
    const owner = await own.newOperator()
    const { reg } = await own.newAgent(owner)
    const challenge = await web.prove(reg, owner)
    await web.withdraw(challenge)
    for (const week of [1, 2, 3]) await own.cron(plus(week * 7 * DAY_MS + 60_000))
    await mail.settled(owner, plus(21 * DAY_MS + 120_000))
    const subjects = (await mail.received(owner)).map(({ subject }) => subject)
    expect(subjects).toContain(`Domain no longer verified: ${challenge.domain}`)
  })

  it('is sent when a platform removes an agent', async () => {
    const [keeper, owner] = await Promise.all([own.newOperator(), own.newOperator()])
    const { slug } = await own.newPlatform(keeper)
    const { reg } = await own.newAgent(owner, { platform_slug: slug })
    const removed = await own.api('DELETE', `/platforms/${slug}/agents/${reg}`, { token: keeper.token })
    expect(removed.status).toBe(200)
    expect((await mail.only(owner)).subject).toBe(`Scout was removed from ${slug}`)
  })
})

it('without a provider no email is queued, and none is sent later', async () => {
  const variant = await own.variant({
    MAIL_API_KEY: undefined,
    MAIL_FROM: undefined,
    MAIL_API_URL: undefined,
  })
  try {
    const { operator, reg, key } = await own.newReporter()
    await variant.api('POST', '/activity/report', { token: key, body: { reg, event_type: 'incident' } })
    expect(await listed(operator)).toHaveLength(1)
    const { runCron } = await import('../../local/cron.ts')
    await runCron(variant.url, new Date())
    expect(await mail.rows(operator)).toEqual([])
    expect(await mail.settled(operator)).toEqual([])
    expect(await mail.received(operator)).toEqual([])
  } finally {
    await variant.stop()
  }
})

it('deletes emails after 30 days', async () => {
  const { operator, reg, key } = await own.newReporter()
  await own.report(key, reg, { event_type: 'incident' })
  await mail.settled(operator)
  await own.cron(plus(30 * DAY_MS - 60_000))
  expect(await mail.rows(operator)).not.toEqual([])
  await own.cron(plus(30 * DAY_MS + 60_000))
  const left = await mail.rows(operator)
  expect(left.filter(({ type }) => type === 'incident_alert')).toEqual([])
})
