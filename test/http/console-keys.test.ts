import { describe, expect, it } from 'vitest'
import { type ConsoleVisitor, openConsole } from '../support/console.ts'
import { freshEmail, shared } from '../support/harness.ts'

const h = shared()
const NEW = '/console/keys/new'
const keyIn = (text: string) => /reg_live_[0-9A-Za-z]{48}/.exec(text)?.[0]

async function newVisitor() {
  const operator = await h.newOperator({ email: freshEmail() })
  return { operator, visitor: await openConsole(h, operator.email) }
}

const keysOf = async (token: string) => (await h.api('GET', '/operators/me/api-keys', { token })).body.data

const filled = async (visitor: ConsoleVisitor, fields: object = {}) => ({
  ...(await visitor.fieldsOf(NEW, NEW)),
  name: 'worker',
  permissions: 'activity:report',
  ...fields,
})

describe('a new key in the console', () => {
  it('is shown once, and is valid', async () => {
    const { operator, visitor } = await newVisitor()
    const { reg } = await h.newAgent(operator)
    const fields = await filled(visitor)
    const made = await visitor.post(NEW, fields)
    expect(made.status).toBe(200)
    expect(made.headers.get('cache-control')).toMatch(/no-store/)
    const key = keyIn(made.text) ?? ''
    expect(made.text).toContain(`export REG_KEY=${key}<`)
    await h.report(key, reg)
    const again = await visitor.post(NEW, fields)
    expect(again).toMatchObject({ status: 409, title: 'Already shown · Agent Registry' })
    expect(keyIn(again.text)).toBeUndefined()
    expect(await keysOf(operator.token)).toMatchObject([{ name: 'worker', permissions: ['activity:report'] }])
    expect((await visitor.get('/console/keys')).text).not.toContain(key)
  })

  it('has the rate limit of the form, up to that of the tier', async () => {
    const { operator, visitor } = await newVisitor()
    expect((await visitor.get(NEW)).text).toMatch(/name="rate_limit_per_minute" [^>]*value="60"/)
    const tooHigh = await visitor.post(NEW, await filled(visitor, { rate_limit_per_minute: '61' }))
    expect(tooHigh.status).toBe(400)
    expect(tooHigh.text).toContain('id="rate_limit_per_minute-problem"')
    expect((await visitor.post(NEW, await filled(visitor, { rate_limit_per_minute: '7' }))).status).toBe(200)
    expect(await keysOf(operator.token)).toMatchObject([{ rate_limit_per_minute: 7 }])
  })

  it('is created once if its form is sent several times in parallel', async () => {
    const { operator, visitor } = await newVisitor()
    const fields = await filled(visitor)
    const sent = await Promise.all(Array.from({ length: 5 }, () => visitor.post(NEW, fields)))
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect(await keysOf(operator.token)).toHaveLength(1)
  })

  it.each([
    ['no name', { name: '' }, 'name'],
    ['no permission', { permissions: '' }, 'permissions'],
    ['an expiry in the past', { expires_at: '2020-01-01' }, 'expires_at'],
    ['a malformed expiry', { expires_at: 'soon' }, 'expires_at'],
  ])('is rejected with %s, shown at its field', async (_, fields, field) => {
    const { operator, visitor } = await newVisitor()
    const rejected = await visitor.post(NEW, await filled(visitor, fields))
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain(`id="${field}-problem"`)
    expect(await keysOf(operator.token)).toEqual([])
  })

  it('counts against the strict rate limit, as in the API', async () => {
    const { visitor } = await newVisitor()
    const fields = await filled(visitor, { name: '' })
    const statuses: number[] = []
    // Ten per minute are allowed: of 21 at least one is rejected, also if a minute ends in between.
    for (let n = 0; n < 21 && !statuses.includes(429); n++)
      statuses.push((await visitor.post(NEW, fields)).status)
    expect(statuses).toContain(429)
    expect((await visitor.get('/console/keys')).status).toBe(200)
  })
})

describe('a key in the console', () => {
  it('can be changed, up to the limits of the tier', async () => {
    const { operator, visitor } = await newVisitor()
    const { id } = await h.newKey(operator)
    const path = `/console/keys/${id}`
    const rejected = await visitor.send(path, path, { name: 'a key', rate_limit_per_minute: '61' })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toMatch(/id="rate_limit_per_minute-problem">at most 60/)
    const sent = await visitor.send(path, path, { name: 'renamed', rate_limit_per_minute: '30' })
    expect(sent).toMatchObject({ status: 303, location: '/console/keys?notice=key-changed' })
    expect(await keysOf(operator.token)).toMatchObject([{ name: 'renamed', rate_limit_per_minute: 30 }])
  })

  it('is revoked after its name is typed', async () => {
    const { operator, visitor } = await newVisitor()
    const { id } = await h.newKey(operator)
    const path = `/console/keys/${id}/revoke`
    const rejected = await visitor.send(path, path, { name: 'another' })
    expect(rejected.status).toBe(400)
    expect(await keysOf(operator.token)).toMatchObject([{ status: 'active' }])
    await visitor.send(path, path, { name: 'a key' })
    expect(await keysOf(operator.token)).toMatchObject([{ status: 'revoked' }])
  })

  it('returns 404 for another operator', async () => {
    const { operator } = await newVisitor()
    const { id } = await h.newKey(operator, undefined, { name: 'Not yours' })
    const { visitor } = await newVisitor()
    for (const path of [`/console/keys/${id}`, `/console/keys/${id}/revoke`]) {
      const page = await visitor.get(path)
      expect(page.status).toBe(404)
      expect(page.text).not.toContain('Not yours')
    }
  })
})
