import { describe, expect, it } from 'vitest'
import { openConsole } from '../support/console.ts'
import { freshEmail, shared } from '../support/harness.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const { api, newOperator, newPlatform, newAgent } = h
const { profile, audited } = memberControl(h)

const at = (slug: string, below = '') => `/console/platforms/${slug}${below}`

/** A platform whose operator is in the console, and a claimed agent of another operator. */
async function newMember(fields: object = {}) {
  const email = freshEmail()
  const visitor = await openConsole(h, email)
  const [host, owner] = await Promise.all([newOperator({ email, tier: 'pro' }), newOperator({ tier: 'pro' })])
  const { slug } = await newPlatform(host, { admission: 'approval', ...fields })
  const { reg } = await newAgent(owner, { name: '<b>Scout</b>', platform_slug: slug })
  return { visitor, host, owner, slug: slug as string, reg: reg as string }
}

describe('agents of a platform in the console', () => {
  it('can be confirmed, as in the API', async () => {
    const { visitor, host, slug, reg } = await newMember()
    const overview = await visitor.get(at(slug))
    expect(overview.text).toContain('Agents to confirm')
    expect(overview.text).toContain('&lt;b&gt;Scout&lt;/b&gt;')
    const action = at(slug, `/agents/${reg}/confirm`)
    const done = await visitor.send(at(slug), action, {})
    expect(done).toMatchObject({ status: 303, location: `${at(slug, '/agents')}?notice=member-confirmed` })
    expect(await profile(reg)).toMatchObject({ platform_state: 'confirmed' })
    expect(await audited(host, reg)).toEqual(['platform.agent_confirmed'])
    expect((await visitor.get(at(slug))).text).not.toContain('Agents to confirm')
    const { text } = await visitor.get(at(slug, '/agents?state=confirmed'))
    expect(text).toContain(reg)
    expect(text).not.toContain(action)
    expect((await visitor.get(at(slug, '/agents?state=claimed'))).text).toContain(
      'No agent is waiting for your confirmation',
    )
  })

  it('are removed after a confirmation page, and their operator is notified', async () => {
    const { visitor, owner, slug, reg } = await newMember()
    const path = at(slug, `/agents/${reg}/remove`)
    expect((await visitor.get(path)).text).toContain('cannot join it again for 30 days')
    expect(await profile(reg)).toMatchObject({ platform_slug: slug })
    expect(await visitor.send(path, path, {})).toMatchObject({ status: 303 })
    expect(await profile(reg)).toMatchObject({ platform_slug: null })
    const again = await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { platform_slug: slug } })
    expect(again.status).toBe(409)
    const { body } = await api('GET', '/operators/me/notifications', { token: owner.token })
    expect(body.data).toMatchObject([{ type: 'platform_membership', reg }])
  })

  it('that are unknown or on another platform are rejected, and do not change', async () => {
    const { visitor, slug } = await newMember()
    const { reg: otherReg, slug: other } = await newMember()
    const confirm = (reg: string) => at(slug, `/agents/${reg}/confirm`)
    const { reg } = await newAgent(await newOperator(), { platform_slug: slug })
    const hiddenFields = await visitor.fieldsOf(at(slug, '/agents'), confirm(reg))
    expect((await visitor.post(confirm(otherReg), hiddenFields)).status).toBe(403)
    expect(await profile(otherReg)).toMatchObject({ platform_slug: other, platform_state: 'claimed' })
    const page = at(slug, `/agents/${otherReg}/remove`)
    const rejected = await visitor.send(page, page, {})
    expect(rejected.status).toBe(404)
    expect(rejected.text).toContain('is not on platform')
    expect((await visitor.get(at(slug, '/agents/REG-1/remove'))).status).toBe(400)
    expect((await visitor.get(at(slug, '/agents?state=unknown'))).status).toBe(400)
  })
})

describe("a platform's API keys in the console", () => {
  const keyIn = (text: string) => /reg_live_[0-9A-Za-z]{48}/.exec(text)?.[0]

  it('are created, shown once, and valid', async () => {
    const { visitor, host, slug } = await newMember()
    const path = at(slug, '/keys/new')
    const hiddenFields = await visitor.fieldsOf(path, path)
    const input = { ...hiddenFields, name: '<i>worker</i>', permissions: 'read', expires_at: '2036-01-02' }
    const made = await visitor.post(path, input)
    expect(made.status).toBe(200)
    expect(made.headers.get('cache-control')).toContain('no-store')
    const key = keyIn(made.text) ?? ''
    expect((await api('GET', `/verify/${(await newAgent(host)).reg}/full`, { token: key })).status).toBe(200)
    const again = await visitor.post(path, input)
    expect({ status: again.status, key: keyIn(again.text) }).toEqual({ status: 409, key: undefined })
    const { text } = await visitor.get(at(slug, '/keys'))
    expect(text).toContain('&lt;i&gt;worker&lt;/i&gt;')
    expect(text).toContain('2036-01-02')
    expect(keyIn(text)).toBeUndefined()
    const { body } = await api('GET', `/platforms/${slug}/api-keys`, { token: host.token })
    expect(body.data).toMatchObject([{ permissions: ['read'], expires_at: '2036-01-02T00:00:00.000Z' }])
  })

  it('are rejected at the field for an invalid name, permission or expiry', async () => {
    const { visitor, host, slug } = await newMember()
    const path = at(slug, '/keys/new')
    const wrong: [string, Record<string, string>][] = [
      ['name', { name: '', permissions: 'read' }],
      ['permissions', { name: 'worker' }],
      ['permissions', { name: 'worker', permissions: 'write' }],
      ['expires_at', { name: 'worker', permissions: 'read', expires_at: '2020-01-01' }],
      ['expires_at', { name: 'worker', permissions: 'read', expires_at: 'tomorrow' }],
    ]
    for (const [field, input] of wrong) {
      const { status, text } = await visitor.send(path, path, input)
      expect({ status, field: text.includes(`id="${field}-problem"`) }, field).toEqual({
        status: 400,
        field: true,
      })
    }
    const { body } = await api('GET', `/platforms/${slug}/api-keys`, { token: host.token })
    expect(body.data).toEqual([])
  })

  it('can be changed up to the limits of the tier, and are revoked after their name is typed', async () => {
    const { visitor, host, slug } = await newMember()
    const body = { name: 'worker', permissions: ['read'] }
    const { id, key } = (await api('POST', `/platforms/${slug}/api-keys`, { token: host.token, body })).body
    const path = at(slug, `/keys/${id}`)
    const over = await visitor.send(path, path, { name: 'other', rate_limit_per_minute: '601' })
    expect(over.status).toBe(400)
    expect(over.text).toContain('id="rate_limit_per_minute-problem">at most 600 in your tier')
    expect(over.text).toContain('value="other"')
    expect((await visitor.send(path, path, { name: 'other', rate_limit_per_minute: '0x10' })).status).toBe(
      400,
    )
    const changed = await visitor.send(path, path, { name: 'other', rate_limit_per_minute: '600' })
    expect(changed).toMatchObject({ status: 303, location: `${at(slug, '/keys')}?notice=key-changed` })
    const revoke = `${path}/revoke`
    expect((await visitor.send(revoke, revoke, { name: 'worker' })).status).toBe(400)
    const reg = (await newAgent(host)).reg
    expect((await api('GET', `/verify/${reg}/full`, { token: key })).status).toBe(200)
    expect((await visitor.send(revoke, revoke, { name: 'other' })).status).toBe(303)
    expect((await api('GET', `/verify/${reg}/full`, { token: key })).status).toBe(401)
    expect((await visitor.get(at(slug, '/keys'))).text).toContain('Revoked')
  })

  it('of another platform return 404', async () => {
    const { visitor, slug } = await newMember()
    const { host, slug: other } = await newMember()
    const body = { name: 'theirs', permissions: ['read'] }
    const { id } = (await api('POST', `/platforms/${other}/api-keys`, { token: host.token, body })).body
    for (const path of [at(slug, `/keys/${id}`), at(slug, `/keys/${id}/revoke`), at(other, `/keys/${id}`)]) {
      expect((await visitor.get(path)).status, path).toBe(404)
    }
  })
})
