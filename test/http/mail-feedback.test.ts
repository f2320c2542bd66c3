import { describe, expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'

const h = shared()
const mail = mailControl(h)
const { me } = mail

/** An operator with a queued email; `alert` queues another one, about an incident of a new agent. */
async function newAlerted() {
  const { operator, key } = await h.newReporter()
  const alert = async () => {
    const { reg } = await h.newAgent(operator)
    await h.report(key, reg, { event_type: 'incident' })
  }
  await alert()
  return { operator, alert }
}

describe('a webhook of the mail provider', () => {
  it.each([
    ['a permanent bounce', 'email.bounced', { bounce: { type: 'Permanent' } }],
    ['a bounce without a type', 'email.bounced', {}],
    ['a spam complaint', 'email.complained', {}],
  ])('ends emails to the address: %s', async (_, type, data) => {
    const { operator, alert } = await newAlerted()
    await mail.relayed(operator)
    expect((await mail.tell(type, operator.email, data)).body).toEqual({ received: true })
    const { mail_refused_at } = await me(operator)
    expect(mail_refused_at).toMatch(/Z$/)
    await mail.tell(type, operator.email, data)
    expect(await me(operator)).toMatchObject({ mail_refused_at })
    await alert()
    await mail.relayed(operator)
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it.each([
    ['a transient bounce', 'email.bounced', { bounce: { type: 'Transient' } }],
    ['a delivery', 'email.delivered', {}],
  ])('changes nothing: %s', async (_, type, data) => {
    const operator = await h.newOperator()
    expect((await mail.tell(type, operator.email, data)).status).toBe(200)
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })

  it.each([
    ['another secret', { secret: `whsec_${btoa('another secret')}` }],
    ['a time too long ago', { ageMs: 360_000 }],
    ['a time in the future', { ageMs: -360_000 }],
  ])('is rejected if it was signed with %s', async (_, by) => {
    const operator = await h.newOperator()
    expectError(await mail.tell('email.complained', operator.email, by), 401, 'UNAUTHORIZED', /Svix/)
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })
})
