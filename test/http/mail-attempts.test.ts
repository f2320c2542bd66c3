import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'

const h = shared()
const mail = mailControl(h)
const { incident, me, newAlerted } = mail

describe('an attempt', () => {
  it.each(['breakOff', 'late'] as const)(
    'that the provider accepts without a response delivers one email: %s',
    async (fault) => {
      const { operator } = await newAlerted()
      await mail.setFaults(operator, { [fault]: 1 })
      expect(await mail.settled(operator)).toMatchObject([{ status: 'pending', attempts: 1 }])
      expect(await mail.received(operator)).toHaveLength(1)
      await mail.dueNow(operator)
      await h.cron()
      await expect.poll(() => mail.rows(operator)).toMatchObject([{ status: 'sent', attempts: 2 }])
      expect(await mail.received(operator)).toHaveLength(1)
    },
  )

  it('that is repeated with changed texts delivers one email', async () => {
    const reporter = await h.newReporter()
    const { id } = await incident(reporter, { title: 'Mr Smith' })
    await mail.setFaults(reporter.operator, { breakOff: 1 })
    await mail.settled(reporter.operator)
    await administer(h.database_url, ['redact', id, '--reason', 'personal'])
    await mail.dueNow(reporter.operator)
    await h.cron()
    await expect.poll(() => mail.rows(reporter.operator)).toMatchObject([{ status: 'sent', attempts: 2 }])
    expect(await mail.received(reporter.operator)).toHaveLength(1)
  })

  it('that fails is repeated 1, 5, 30 and 120 minutes after its start, five attempts in all', async () => {
    const { operator } = await newAlerted()
    await mail.setFaults(operator, { down: true })
    for (const [n, seconds] of [60, 300, 1_800, 7_200].entries()) {
      if (n > 0) await mail.dueNow(operator)
      const before = Date.now()
      await h.cron()
      const row = async () => (await mail.rows(operator))[0]
      await expect.poll(async () => (await row()).error).toBe('internal_server_error')
      await expect.poll(row).toMatchObject({ status: 'pending', attempts: n + 1, lease_until: null })
      const due = (await row()).next_attempt_at.getTime()
      expect(due).toBeGreaterThanOrEqual(before + seconds * 1000)
      expect(due).toBeLessThanOrEqual(Date.now() + seconds * 1000)
    }
    await mail.dueNow(operator)
    await h.cron()
    const failed = { status: 'failed', attempts: 5, next_attempt_at: null, error: 'internal_server_error' }
    await expect.poll(() => mail.rows(operator)).toMatchObject([failed])
    await h.cron()
    expect(await mail.received(operator)).toEqual([])
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })

  it('is repeated if the Worker ended during it', async () => {
    const { operator } = await newAlerted()
    await h.sql(
      `update mails set attempts = 1, lease_until = now() - interval '1 minute', publish_count = 1 where operator_id = $1`,
      [operator.id],
    )
    await h.cron()
    const died = { status: 'pending', attempts: 1, lease_until: null, error: 'outcome unknown' }
    await expect.poll(() => mail.rows(operator)).toMatchObject([died])
    await mail.dueNow(operator)
    await h.cron()
    await expect.poll(() => mail.rows(operator)).toMatchObject([{ status: 'sent', attempts: 2 }])
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it('is not made for an email older than 23 hours, which might be sent twice', async () => {
    const { operator } = await newAlerted()
    await h.sql(`update mails set created_at = now() - interval '23 hours 1 minute' where operator_id = $1`, [
      operator.id,
    ])
    expect(await mail.settled(operator)).toMatchObject([{ status: 'failed', attempts: 0, error: 'expired' }])
    expect(await mail.received(operator)).toEqual([])
  })

  it('that is rejected for a reason other than the address fails only this email', async () => {
    const { operator } = await newAlerted()
    await mail.setFaults(operator, { rejectSubject: 1 })
    expect(await mail.settled(operator)).toMatchObject([
      { status: 'failed', attempts: 1, error: 'validation_error' },
    ])
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })
})
