import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { expectError, type Operator, shared } from '../support/harness.ts'
import { freshPerson, kycControl, type Person, plus, START } from '../support/kyc.ts'
import { expectWait } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey } = h
const kyc = kycControl(h)
const ME = '/operators/me'

const nameOf = ({ first_name, last_name }: Person) => `${first_name} ${last_name}`
const rename = ({ token }: Operator, name: string) => api('PATCH', ME, { token, body: { name } })
const me = async ({ token }: Operator) => (await api('GET', ME, { token })).body
const historyOf = async ({ token }: Operator) => (await api('GET', `${ME}/kyc`, { token })).body.history

/** The columns of an operator that no response shows. */
async function storedOf({ id }: Operator) {
  const [row] = await sql('select kyc_identity, name_verified_at from operators where id = $1', [id])
  return row
}

/** Lets the verification of an operator expire, so that a new check can start. */
const expire = ({ id }: Operator) =>
  sql(`update operators set kyc_status = 'expired', kyc_expires_at = kyc_verified_at where id = $1`, [id])

describe('the name of an operator', () => {
  it('is shown as verified everywhere if the document shows it, and nowhere otherwise', async () => {
    const person = freshPerson()
    const [named, other] = await Promise.all([newOperator(), newOperator()])
    await rename(named, `${person.last_name.toUpperCase()} ${person.first_name}`)
    await rename(other, `${nameOf(person)} (🅲🅴🅾 🅾🅵 🅰🅲🅼🅴)`)
    for (const operator of [named, other]) {
      const { reg } = await newAgent(operator)
      const { key } = await newKey(operator, ['read'])
      const { name, name_verified } = await me(operator)
      expect(name_verified).toBe(false)
      await kyc.approve(operator, person)
      const isNamed = operator === named
      expect(await me(operator)).toMatchObject({ kyc_status: 'verified', name, name_verified: isNamed })
      const shown = { operator_name: name, operator_name_verified: isNamed }
      const expected = {
        ...shown,
        operator_id: operator.id,
        operator_kyc_status: 'verified',
        operator_status: 'active',
      }
      expect((await api('GET', `/agents/${reg}`)).body).toMatchObject(expected)
      expect((await api('GET', `/verify/${reg}`)).body).toMatchObject(expected)
      expect((await api('GET', `/verify/${reg}/full`, { token: key })).body).toMatchObject(expected)
      expect((await api('GET', `${ME}/agents`, { token: key })).body.data).toMatchObject([shown])
      expect((await api('GET', `/operators/${operator.id}`)).body).toMatchObject({
        name,
        name_verified: isNamed,
      })
    }
  })

  it('is no longer verified after a change, even if it is changed back', async () => {
    const [person, operator] = [freshPerson(), await newOperator()]
    const { token } = operator
    await rename(operator, nameOf(person))
    await kyc.approve(operator, person)
    await api('PATCH', ME, { token, body: { name: nameOf(person), company_name: 'Acme Bank' } })
    expect((await me(operator)).name_verified).toBe(true)
    expect((await rename(operator, 'Acme Bank')).body).toMatchObject({
      name: 'Acme Bank',
      name_verified: false,
    })
    expect((await rename(operator, nameOf(person))).body.name_verified).toBe(false)
    await expire(operator)
    await kyc.approve(operator, person)
    expect((await me(operator)).name_verified).toBe(true)
  })
})

describe('an identity', () => {
  it('is the same for two accounts of a person, and is stored only as a hash, neither shown nor logged', async () => {
    const person = freshPerson()
    const [first, second, other] = await Promise.all([newOperator(), newOperator(), newOperator()])
    await kyc.approve(first, person)
    await kyc.approve(second, {
      ...person,
      first_name: 'ADA-AUGUSTA',
      last_name: person.last_name.toLowerCase(),
    })
    await kyc.approve(other, freshPerson())
    const [one, two, third] = await Promise.all([first, second, other].map(storedOf))
    expect(one.kyc_identity).toMatch(/^[A-Za-z0-9+/]{43}=$/)
    expect(two.kyc_identity).toBe(one.kyc_identity)
    expect(third.kyc_identity).not.toBe(one.kyc_identity)
    expect(JSON.stringify(await me(first))).not.toContain(one.kyc_identity)
    expect(readFileSync(join(h.dir, 'worker.log'), 'utf8')).not.toContain(person.last_name)
    const tables = await sql(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    for (const { name } of tables) {
      const found = await sql(`select 1 from "${name}" t where t::text ilike $1`, [`%${person.last_name}%`])
      expect({ name, found }).toEqual({ name, found: [] })
    }
  })

  it('of another person fails the check, and the previous verification remains valid', async () => {
    const [person, operator] = [freshPerson(), await newOperator()]
    await rename(operator, nameOf(person))
    await kyc.approve(operator, person)
    const [before, stored] = [await me(operator), await storedOf(operator)]
    const soon = plus(340 * DAY_MS)
    const back = await newOperator({ email: operator.email, now: soon })
    const { body } = await api('POST', START, { token: back.token, now: soon })
    await kyc.decide(body.verification_url, { outcome: 'approve', ...freshPerson() })
    await expect.poll(async () => (await historyOf(operator))[0].status).toBe('failed')
    expect((await historyOf(operator))[0].reason).toBe('another_person')
    expect({ ...(await me(operator)), updated_at: '' }).toEqual({ ...before, updated_at: '' })
    expect(await storedOf(operator)).toEqual(stored)
  })

  it('of another person fails the check until the identity is released', async () => {
    const [person, otherPerson, operator] = [freshPerson(), freshPerson(), await newOperator()]
    await kyc.approve(operator, person)
    const { kyc_identity: first } = await storedOf(operator)
    await expire(operator)
    await kyc.approve(operator, otherPerson)
    expect((await me(operator)).kyc_status).toBe('failed')
    const [failed] = await kyc.sessionsOf(operator)
    const release = () => administer(h.database_url, ['release-identity', operator.email])
    expect(await release()).toBe(
      `${operator.email}: identity released; still failed, and the next check may find another person`,
    )
    expect(await release()).toMatch(/nothing to release/)
    expect((await storedOf(operator)).kyc_identity).toBe(first)
    await kyc.send('verified', failed?.id ?? '') // a repeated webhook of the failed check is not a new check
    expect((await me(operator)).kyc_status).toBe('failed')
    await kyc.approve(operator, otherPerson)
    expect((await me(operator)).kyc_status).toBe('verified')
    const { kyc_identity: second } = await storedOf(operator)
    expect(second).not.toBe(first)
    await expire(operator)
    await kyc.approve(operator, person) // a release allows one other person
    expect((await storedOf(operator)).kyc_identity).toBe(second)
    const actions = await sql(
      `select action from audit_log where operator_id = $1 and action not like 'session.%' order by created_at, id`,
      [operator.id],
    )
    expect(actions.map(({ action }) => action)).toEqual([
      ...['kyc.started', 'kyc.verified', 'kyc.started', 'kyc.failed'],
      ...['operator.identity_released', 'kyc.started', 'kyc.verified', 'kyc.started', 'kyc.failed'],
    ])
    await expect(administer(h.database_url, ['release-identity', 'nobody@example.com'])).rejects.toThrow(
      /no operator/,
    )
  })

  it('that is released no longer verifies the name', async () => {
    const [person, newPerson, operator] = [freshPerson(), freshPerson(), await newOperator()]
    await rename(operator, nameOf(person))
    await kyc.approve(operator, person)
    await expire(operator)
    await administer(h.database_url, ['release-identity', operator.email])
    await kyc.approve(operator, newPerson)
    expect(await me(operator)).toMatchObject({ kyc_status: 'verified', name_verified: false })
  })

  it('is read from the provider, not from the content of a webhook', async () => {
    const [person, operator] = [freshPerson(), await newOperator()]
    await rename(operator, nameOf(person))
    await api('POST', START, { token: operator.token })
    const [year, month, day] = person.birth_date.split('-').map(Number)
    const verified_outputs = { ...person, dob: { day, month, year } }
    await kyc.send('verified', await kyc.openSession(operator), { fields: { verified_outputs } })
    expect(await me(operator)).toMatchObject({ kyc_status: 'verified', name_verified: false })
    expect(await storedOf(operator)).toEqual({ kyc_identity: null, name_verified_at: null })
    const session = (await kyc.sessionsOf(operator))[0]
    await kyc.send('verified', session?.id ?? '', { fields: { verified_outputs } })
    expect((await storedOf(operator)).kyc_identity).toBeNull()
  })

  it('is also found if a new start learns of the result before the webhook', async () => {
    const [person, operator] = [freshPerson(), await newOperator()]
    const hide = (prefix: string) =>
      sql(
        `update kyc_checks set provider_session_id = $2 || ltrim(provider_session_id, '-') where operator_id = $1`,
        [operator.id, prefix],
      )
    for (const [who, message] of [
      [person, /you are already verified/],
      [freshPerson(), /a different person/],
    ] as const) {
      const { body } = await api('POST', START, { token: operator.token })
      await hide('-')
      await kyc.decide(body.verification_url, { outcome: 'approve', ...who })
      await expect.poll(kyc.undelivered).toBe(0)
      await hide('')
      expectError(await api('POST', START, { token: operator.token }), 409, 'CONFLICT', message)
      if (who === person) await expire(operator)
    }
    expect((await me(operator)).kyc_status).toBe('failed')
  })
})

describe('a verified check whose identity cannot be read', () => {
  /** A check that the provider has verified, but whose webhook has not arrived. */
  async function verifiedWithoutWebhook(operator: Operator): Promise<string> {
    const { body } = await api('POST', START, { token: operator.token })
    const id = await kyc.openSession(operator)
    await sql(`update kyc_checks set provider_session_id = '-' || $1 where provider_session_id = $1`, [id])
    await kyc.decide(body.verification_url, { outcome: 'approve', ...freshPerson() })
    await expect.poll(kyc.undelivered).toBe(0)
    await sql(`update kyc_checks set provider_session_id = $1 where provider_session_id = '-' || $1`, [id])
    return id
  }

  it('remains pending while the provider is unavailable, and completes when the webhook is sent again', async () => {
    const operator = await newOperator()
    const id = await verifiedWithoutWebhook(operator)
    const variant = await h.variant({ STRIPE_API_URL: 'http://127.0.0.1:9' })
    try {
      const response = await kycControl({ ...h, api: variant.api }).send('verified', id)
      expectError(response, 503, 'SERVICE_UNAVAILABLE', /provider/)
    } finally {
      await variant.stop()
    }
    expect((await me(operator)).kyc_status).toBe('pending')
    expect((await kyc.send('verified', id)).status).toBe(200)
    expect((await me(operator)).kyc_status).toBe('verified')
    expect((await storedOf(operator)).kyc_identity).not.toBeNull()
  })

  it('waits for an API key that can read the identity, and after four days is accepted without', async () => {
    const operator = await newOperator()
    const id = await verifiedWithoutWebhook(operator)
    const variant = await h.variant({ STRIPE_SECRET_KEY: kyc.secretKey() })
    const limitedKyc = kycControl({ ...h, api: variant.api })
    try {
      expectError(await limitedKyc.send('verified', id), 503, 'SERVICE_UNAVAILABLE', /provider/)
      expectError(await variant.api('POST', START, { token: operator.token }), 503, 'SERVICE_UNAVAILABLE')
      expect((await limitedKyc.send('verified', 'vs_nobody')).status).toBe(200)
      expect((await me(operator)).kyc_status).toBe('pending')
      expect((await limitedKyc.send('verified', id, { now: plus(4 * DAY_MS + 60_000) })).status).toBe(200)
    } finally {
      await variant.stop()
    }
    expect((await me(operator)).kyc_status).toBe('verified')
    expect(await storedOf(operator)).toEqual({ kyc_identity: null, name_verified_at: null })
  })
})

it('rejects the sixth check of a UTC day, and says when the next one can start', async () => {
  const operator = await newOperator()
  const { token } = operator
  const day = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  const now = new Date(day + 5_000)
  for (let n = 0; n < 5; n++) {
    expect((await api('POST', START, { token, now })).status).toBe(200)
    await kyc.send('requires_input', await kyc.openSession(operator), { now })
  }
  const response = await api('POST', START, { token, now })
  const next = new Date(day + DAY_MS).toISOString()
  expectError(response, 429, 'RATE_LIMITED', new RegExp(`5 identity checks per UTC day.* from ${next}$`))
  expectWait(response, (DAY_MS - 5_000) / 1000)
  expect(await kyc.sessionsOf(operator)).toHaveLength(5)
  expect((await api('POST', START, { token, now: new Date(day + DAY_MS) })).status).toBe(200)
})
