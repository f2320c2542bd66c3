import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'

const h = shared()
const mail = mailControl(h)
const { incident, me, newAlerted } = mail

describe('a try', () => {
  it('that the provider accepts without a response delivers one email', async () => {
    const { operator } = await newAlerted()
    await mail.setFaults(operator, { breakOff: 1 })
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'pending', attempts: 1 }])
    expect(await mail.received(operator)).toHaveLength(1)
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'sent', attempts: 2, error: null }])
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it('that is repeated with changed texts delivers one email', async () => {
    const reporter = await h.newReporter()
    const { id } = await incident(reporter, { title: 'Mr Smith' })
    await mail.setFaults(reporter.operator, { breakOff: 1 })
    await mail.relayed(reporter.operator)
    await administer(h.database_url, ['redact', id, '--reason', 'personal'])
    expect(await mail.relayed(reporter.operator)).toMatchObject([{ status: 'sent', attempts: 2 }])
    expect(await mail.received(reporter.operator)).toHaveLength(1)
  })

  it('that fails is repeated four times; then the email has failed', async () => {
    const { operator } = await newAlerted()
    await mail.setFaults(operator, { down: true })
    const error = 'internal_server_error'
    for (const attempts of [1, 2, 3, 4])
      expect(await mail.relayed(operator)).toMatchObject([{ status: 'pending', attempts, error }])
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'failed', attempts: 5, error }])
    await mail.setFaults(operator, { down: false })
    await mail.relayed(operator)
    expect(await mail.received(operator)).toEqual([])
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })

  it('is not made for an email older than 23 hours, which might be sent twice', async () => {
    const { operator } = await newAlerted()
    await h.sql(`update mails set created_at = now() - interval '23 hours 1 minute' where operator_id = $1`, [
      operator.id,
    ])
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'failed', attempts: 0, error: 'expired' }])
    expect(await mail.received(operator)).toEqual([])
  })

  it('that is rejected for a reason other than the address fails only this email', async () => {
    const { operator } = await newAlerted()
    await mail.setFaults(operator, { rejectSubject: 1 })
    expect(await mail.relayed(operator)).toMatchObject([
      { status: 'failed', attempts: 1, error: 'validation_error' },
    ])
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })
})
