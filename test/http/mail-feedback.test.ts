import { describe, expect, it } from 'vitest'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'

const h = shared()
const mail = mailControl(h)

const me = async ({ token }: Operator): Promise<Body> => (await h.api('GET', '/operators/me', { token })).body

/** An operator with a key, and a mail that is queued for them with each new agent that has an incident. */
async function newAlerted() {
  const { operator, key } = await h.newReporter()
  const alert = async () => {
    const { reg } = await h.newAgent(operator)
    await h.report(key, reg, { event_type: 'incident' })
  }
  await alert()
  return { operator, alert }
}

describe('what the provider tells of an address', () => {
  it.each([
    ['it bounced', 'email.bounced', { bounce: { type: 'Permanent' } }],
    ['it bounced, as older messages say', 'email.bounced', {}],
    ['its owner calls our mail spam', 'email.complained', {}],
  ])('ends mail to it: %s', async (_, type, data) => {
    const { operator, alert } = await newAlerted()
    await mail.settled(operator)
    expect((await mail.tell(type, operator.email, data)).body).toEqual({ received: true })
    const { mail_refused_at } = await me(operator)
    expect(mail_refused_at).toMatch(/Z$/)
    await mail.tell(type, operator.email, data)
    expect(await me(operator)).toMatchObject({ mail_refused_at })
    await alert()
    await mail.settled(operator)
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it.each([
    ['a bounce that may pass', 'email.bounced', { bounce: { type: 'Transient' } }],
    ['a delivery', 'email.delivered', {}],
  ])('changes nothing: %s', async (_, type, data) => {
    const operator = await h.newOperator()
    expect((await mail.tell(type, operator.email, data)).status).toBe(200)
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })

  it.each([
    ['another secret', { secret: `whsec_${btoa('another secret')}` }],
    ['a time too long ago', { ageMs: 360_000 }],
    ['a time that is to come', { ageMs: -360_000 }],
  ])('is rejected when it was signed with %s', async (_, by) => {
    const operator = await h.newOperator()
    expectError(await mail.tell('email.complained', operator.email, by), 401, 'UNAUTHORIZED', /Svix/)
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })
})
