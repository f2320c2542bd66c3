import { afterAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { DAY_MS, HOUR_MS, utcDay } from '../../src/lib/time.ts'
import { mondayOf } from '../../src/notifications/week.ts'
import { identify } from '../support/attested.ts'
import { plus } from '../support/day.ts'
import { storeRows } from '../support/fill.ts'
import { type Operator, ownStack } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'
import { mailControl } from '../support/mail.ts'
import { askRedis } from '../support/redis.ts'
import { rowsOf } from '../vectors/rollups.ts'

const own = await ownStack() // its own stack, because its jobs run with dates months ahead
afterAll(own.stop)
const mail = mailControl(own)

describe('the uses of a key', () => {
  const shown = async (operator: Operator) =>
    (await own.api('GET', '/operators/me/api-keys', operator)).body.data[0]

  it('are added to its row once', async () => {
    const { operator, key, reg } = await own.newReporter()
    for (let n = 0; n < 5; n++) await own.report(key, reg)
    const folded = async () => {
      await own.cron()
      return (await shown(operator)).requests_count
    }
    await expect.poll(folded).toBe(5)
    await Promise.all([own.cron(), own.cron(), own.cron()])
    const { last_used_at, ...first } = await shown(operator)
    expect(first).toMatchObject({ requests_count: 5 })
    await own.report(key, reg, {}, plus(HOUR_MS))
    await expect.poll(folded).toBe(6)
    const later = Date.parse((await shown(operator)).last_used_at) - Date.parse(last_used_at)
    expect(later).toBeGreaterThan(HOUR_MS / 2)
  })

  it('are added by the next run after one that was interrupted', async () => {
    const operator = await own.newOperator()
    const { id } = await own.newKey(operator)
    await askRedis(own, 'HSET', 'usage:folding', `requests:${id}`, '7')
    await own.cron()
    expect(await shown(operator)).toMatchObject({ requests_count: 7, last_used_at: null })
    expect(await askRedis(own, 'EXISTS', 'usage:folding')).toBe(0)
  })
})

describe('agents of a platform', () => {
  it('count in the next minute if the row of the platform was locked', async () => {
    const keeper = await own.newOperator({ tier: 'pro' })
    await identify(own, keeper)
    const { slug } = await own.newPlatform(keeper)
    const judgedDay = async () =>
      (await own.sql('select judged_day from platforms where slug = $1', [slug]))[0].judged_day
    const held = await holdOpen(own, 'update platforms set name = name where slug = $1', [slug])
    const run = own.cron().catch((error) => error)
    await held.isWaitedFor()
    expect(await run).toBeInstanceOf(Error)
    await held.commit()
    expect(await judgedDay()).toBeNull()
    await own.cron()
    expect(await judgedDay()).not.toBeNull()
  })

  it('establish it, on the next day if it could not be judged', async () => {
    const keeper = await own.newOperator({ tier: 'pro' })
    await identify(own, keeper)
    const { slug } = await own.newPlatform(keeper)
    const now = new Date()
    const record = rowsOf([{ source: 'peer', from: 0, to: 9, tasks: 5 }], utcDay(now))
    for (let n = 0; n < 3; n++) {
      const operator = await own.newOperator()
      await own.sql('update operators set kyc_identity = id where id = $1', [operator.id])
      const { id } = await own.newAgent(operator, { platform_slug: slug })
      await own.sql(`update agents set platform_since = '2020-01-01' where id = $1`, [id])
      await storeRows(own, id, record)
    }
    await own.sql(
      `alter table platforms add constraint stuck check (slug <> '${slug}' or established_at is null)`,
    )
    const judged = async () =>
      (await own.sql('select judged_day::text, established_at from platforms where slug = $1', [slug]))[0]
    await expect(own.cron(now)).rejects.toThrow(/platform_establishment/)
    expect(await judged()).toEqual({ judged_day: utcDay(now), established_at: null })
    await own.sql('alter table platforms drop constraint stuck')
    await own.cron(plus(DAY_MS, now))
    expect(await judged()).toMatchObject({ established_at: plus(DAY_MS, now) })
  })

  it('leave it when their notice is over, also if one of them cannot be moved', async () => {
    const operator = await own.newOperator({ tier: 'pro' })
    const { slug } = await own.newPlatform(operator)
    const regs: string[] = []
    for (let n = 0; n < 8; n++) regs.push((await own.newAgent(operator, { platform_slug: slug })).reg)
    const [first] = regs
    const end = new Date()
    await own.sql(
      `update agents set platform_leaves_at = $3::timestamptz - case reg when $2 then interval '1 day' else '0' end
       where reg = any ($1)`,
      [regs, first, end],
    )
    await own.sql(
      `alter table agents add constraint stuck check (reg <> '${first}' or platform_id is not null) not valid`,
    )
    const placed = async () => {
      const rows = await own.sql('select reg from agents where reg = any ($1) and platform_id is not null', [
        regs,
      ])
      return rows.map(({ reg }) => reg)
    }
    await expect(own.cron(end)).rejects.toThrow()
    expect(await placed()).toEqual([first])
    await own.sql('alter table agents drop constraint stuck')
    await own.cron(end)
    expect(await placed()).toEqual([])
  })
})

describe('an email', () => {
  /** Without digests, which the jobs also send when a test's clock reaches Monday. */
  const alertsOf = async (operator: Operator) =>
    (await mail.rows(operator)).filter(({ type }) => type === 'incident_alert')

  it('is sent once when concurrent jobs publish it and QStash delivers twice, and deleted after 30 days', async () => {
    const { operator } = await mail.newAlerted()
    await own.qstash.setFaults({ deliverTwice: true })
    try {
      await Promise.all(Array.from({ length: 5 }, () => own.cron()))
      expect(await mail.settled(operator)).toMatchObject([{ status: 'sent', attempts: 1 }])
    } finally {
      await own.qstash.clearFaults()
    }
    expect(await mail.received(operator)).toHaveLength(1)
    await own.cron(plus(30 * DAY_MS - 60_000))
    expect(await alertsOf(operator)).not.toEqual([])
    await own.cron(plus(30 * DAY_MS + 60_000))
    expect(await alertsOf(operator)).toEqual([])
  })

  it('is published again after QStash rejected or lost it; /ready shows how long it has waited until then', async () => {
    const now = new Date()
    const { operator } = await mail.newAlerted()
    const waited = async (minutes: number) =>
      (await own.api('GET', '//ready', { now: plus(minutes * 60_000, now) })).body.oldest_pending_mail_seconds
    await own.qstash.setFaults({ rejectPublish: true })
    await expect(own.cron(now)).rejects.toThrow('jobs failed')
    expect(await waited(20)).toBeGreaterThan(1100)
    await own.qstash.clearFaults()
    await own.qstash.setFaults({ loseMessage: 1 })
    await own.cron(plus(60_000, now))
    const lost = { status: 'pending', attempts: 0, published_at: plus(60_000, now) }
    expect(await alertsOf(operator)).toMatchObject([lost])
    await own.qstash.clearFaults()
    await own.cron(plus(8 * HOUR_MS, now))
    expect(await alertsOf(operator)).toMatchObject([lost])
    await mail.settled(operator, plus(8 * HOUR_MS + 60_000, now))
    expect(await alertsOf(operator)).toMatchObject([{ status: 'sent', attempts: 1 }])
    expect(await waited(60)).toBeNull()
  })

  it('is repeated by QStash until the provider takes it', async () => {
    const { operator } = await mail.newAlerted({ down: 2, busy: 1 })
    await own.qstash.setClock({ mode: 'virtual' })
    try {
      await own.cron()
      await own.qstash.runUntilIdle({ limitMs: 7 * HOUR_MS, atLeast: 4 })
    } finally {
      await own.qstash.setClock({ mode: 'real' })
    }
    expect(await alertsOf(operator)).toMatchObject([{ status: 'sent', attempts: 4 }])
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it('is not queued without a provider, and not sent later', async () => {
    const none = { MAIL_API_KEY: undefined, MAIL_FROM: undefined, MAIL_API_URL: undefined }
    await using variant = await own.variant(none)
    const { operator, reg, key } = await own.newReporter()
    await variant.api('POST', '/activity/report', { token: key, body: { reg, event_type: 'incident' } })
    const { body } = await own.api('GET', '/operators/me/notifications', operator)
    expect(body.data).toHaveLength(1)
    await runCron(variant.url, new Date())
    expect(await mail.settled(operator)).toEqual([])
    expect(await mail.received(operator)).toEqual([])
  })

  it('is sent for the digest, with the notifications that were not', async () => {
    const monday = new Date(mondayOf(plus(140 * DAY_MS))) // after the times of the other tests
    const signUp = plus(3 * DAY_MS, monday)
    const { operator, reg, key } = await own.newReporter({ now: signUp })
    for (let n = 0; n < 4; n++)
      await own.report(key, reg, { event_type: 'incident' }, plus(n * 60_000, signUp))
    await mail.settled(operator, plus(600_000, signUp))
    await mail.settled(operator, plus(7 * DAY_MS + 10_000, monday))
    const [alert, digest, ...others] = await mail.received(operator)
    expect(others).toEqual([])
    expect(alert?.subject).toBe('Scout, unrated: info: Untitled, severity info')
    expect(digest?.subject).toBe(`Your week from ${utcDay(monday)} to ${utcDay(plus(6 * DAY_MS, monday))}`)
    expect(digest?.text).toContain('Incidents opened: 4')
    expect(digest?.text).toContain(
      `Notifications of that week that were not emailed:\n- incident alerts, Scout (${reg}): 3\n`,
    )
    expect(digest?.headers['List-Unsubscribe']).toContain('.weekly_digest.')
  })
})
