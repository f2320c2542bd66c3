import { describe, expect, it } from 'vitest'
import { tablesWith } from '../support/database.ts'
import { type Operator, shared } from '../support/harness.ts'
import { freshPerson, kycControl, type Person, START } from '../support/kyc.ts'
import { auditOf } from '../support/platforms.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey } = h
const kyc = kycControl(h)
const ME = '/operators/me'

const nameOf = ({ first_name, last_name }: Person) => `${first_name} ${last_name}`
const rename = ({ token }: Operator, name: string) => api('PATCH', ME, { token, body: { name } })
const me = async ({ token }: Operator) => (await api('GET', ME, { token })).body

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
      for (const path of [`/agents/${reg}`, `/verify/${reg}`, `/verify/${reg}/full`])
        expect((await api('GET', path, { token: key })).body).toMatchObject(expected)
      expect((await api('GET', `${ME}/agents`, { token: key })).body.data).toMatchObject([shown])
      const { body: profile } = await api('GET', `/operators/${operator.id}`)
      expect(profile).toMatchObject({ name, name_verified: isNamed })
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
    expect(h.workerLogs()).not.toContain(person.last_name)
    expect(await tablesWith(h, person.last_name)).toEqual([])
  })

  it('of another person fails the check, until the identity is released, which also ends the verified name', async () => {
    const [person, otherPerson, operator] = [freshPerson(), freshPerson(), await newOperator()]
    await rename(operator, nameOf(person))
    await kyc.approve(operator, person)
    await sql(`update operators set kyc_expires_at = now() + interval '10 days' where id = $1`, [operator.id])
    const [before, stored] = [await me(operator), await storedOf(operator)]
    await kyc.approve(operator, otherPerson) // fails, and the verification remains valid
    expect(await me(operator)).toEqual({ ...before, updated_at: expect.any(String) })
    expect(await storedOf(operator)).toEqual(stored)
    await expire(operator)
    await kyc.approve(operator, otherPerson)
    expect(await me(operator)).toMatchObject({ kyc_status: 'failed', name_verified: true })
    const failure = { status: 'failed', reason: 'another_person' }
    expect((await api('GET', `${ME}/kyc`, { token: operator.token })).body.history).toMatchObject([
      ...[failure, failure, { status: 'verified' }],
    ])
    const release = () => h.admin('release-identity', operator.email)
    expect(await release()).toContain('identity released; still failed')
    expect(await release()).toMatch(/nothing to release/)
    await kyc.approve(operator, otherPerson)
    expect(await me(operator)).toMatchObject({ kyc_status: 'verified', name_verified: false })
    expect((await storedOf(operator)).kyc_identity).not.toBe(stored.kyc_identity)
    const actions = (await auditOf(h, operator)).map(({ action }) => action)
    expect(actions.filter((action) => /^kyc|identity/.test(action))).toEqual([
      ...['kyc.started', 'kyc.verified', 'kyc.started', 'kyc.failed', 'kyc.started', 'kyc.failed'],
      ...['operator.identity_released', 'kyc.started', 'kyc.verified'],
    ])
    await expect(h.admin('release-identity', 'nobody@example.com')).rejects.toThrow(/no operator/)
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
})
