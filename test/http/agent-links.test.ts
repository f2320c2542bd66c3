import { describe, expect, it } from 'vitest'
import { type Body, expectError, shared, startReceiver } from '../support/harness.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, newOperator, newAgent, newKey, newPlatform } = h
const web = webControl(h)

async function newOwner(fields: object = {}) {
  const owner = await newOperator()
  const agent = await newAgent(owner, fields)
  return { owner, agent, reg: agent.reg as string }
}

const profileOf = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body

const linksOf = async (reg: string) => {
  const { homepage_url, card_url } = await profileOf(reg)
  return { homepage_url, card_url }
}

describe('the domain of an agent', () => {
  it("is shown once it is verified: in the profile, both verify responses, and the operator's list", async () => {
    const { owner, reg, agent } = await newOwner()
    const { key } = await newKey(owner, ['read'])
    const everywhere = async () => [
      (await profileOf(reg)).domain,
      (await api('GET', `/verify/${reg}`)).body.domain,
      (await api('GET', `/verify/${reg}/full`, { token: key })).body.domain,
      (await api('GET', '/operators/me/agents', { token: owner.token })).body.data[0].domain,
    ]
    expect(agent.domain).toBeNull()
    await web.publish(await web.challenge(reg, owner, { domain: `bücher.${freshDomain()}` }))
    expect(await everywhere()).toEqual([null, null, null, null])
    const { body } = await web.verify(reg, owner)
    expect(body.domain).toMatch(/^xn--bcher-kva\./)
    expect(await everywhere()).toEqual(Array(4).fill(body.domain))
  })

  it('is included in the webhook events about the agent', async () => {
    const receiver = await startReceiver()
    try {
      const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
      const { owner, reg } = await newOwner({ platform_slug: platform.slug })
      const { domain } = await web.prove(reg, owner)
      const homepage_url = `https://${domain}/`
      await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { homepage_url } })
      const [registered] = await receiver.arrival(1, 'agent.registered')
      const [updated] = await receiver.arrival(1, 'agent.updated')
      expect(registered?.event.data).toMatchObject({ reg, domain: null })
      expect(updated?.event.data).toMatchObject({ reg, domain, changed: ['homepage_url'] })
    } finally {
      await receiver.stop()
    }
  })
})

describe('homepage_url and card_url', () => {
  it('are public only below the verified domain; the operator sees them with the reason', async () => {
    const domain = freshDomain()
    const links = { homepage_url: `https://${domain}`, card_url: 'https://elsewhere.example/card.json' }
    const { owner, reg, agent } = await newOwner(links)
    const none = { homepage_url: null, card_url: null }
    expect(agent).toMatchObject({
      ...links,
      hidden_links: { homepage_url: 'no_domain', card_url: 'no_domain' },
    })
    expect(await linksOf(reg)).toEqual(none)
    const before = (await api('GET', `/agents/${reg}`)).headers.get('etag')
    await web.prove(reg, owner, { domain })
    const after = await api('GET', `/agents/${reg}`, { headers: { 'If-None-Match': before ?? '' } })
    expect(after.status).toBe(200)
    expect(await linksOf(reg)).toEqual({ ...none, homepage_url: links.homepage_url })
    const { body } = await api('GET', '/operators/me/agents', { token: owner.token })
    expect(body.data[0]).toMatchObject({ ...links, hidden_links: { card_url: 'other_domain' } })
  })

  it('are public on the domain, its subdomains and ports, and nowhere else', async () => {
    const { owner, reg } = await newOwner()
    const { domain } = await web.prove(reg, owner)
    const below = [
      `https://cards.${domain}/a`,
      `https://${domain}:8443/a?b#c`,
      `https://${domain.toUpperCase()}/a`,
    ]
    const elsewhere = [
      `https://${domain.slice(domain.indexOf('.') + 1)}/`,
      `https://x${domain}/`,
      `https://${domain}.example.net/`,
      `https://example.net/${domain}/`,
      `https://${domain.replace('example', 'exаmple')}/`, // a homograph
    ]
    for (const url of [...below, ...elsewhere]) {
      const isBelow = below.includes(url)
      const changed = await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { card_url: url } })
      expect([url, changed.body.hidden_links]).toEqual([url, isBelow ? {} : { card_url: 'other_domain' }])
      expect(await linksOf(reg)).toEqual({ homepage_url: null, card_url: isBelow ? new URL(url).href : null })
    }
  })

  it.each(['homepage_url', 'card_url'])('are rejected with the reason if invalid: %s', async (field) => {
    const { token } = await newOperator()
    const body = { name: 'a', class: 'A', [field]: 'https://user@example.com/' }
    const response = await api('POST', '/agents', { token, body })
    expectError(response, 400, 'VALIDATION_ERROR', new RegExp(`^${field}: .*username`))
  })

  it('are stored in ASCII, cleared by null, and unchanged if omitted', async () => {
    const { owner, reg, agent } = await newOwner({ homepage_url: 'https://bücher.example.com/ä' })
    expect(agent.homepage_url).toBe('https://xn--bcher-kva.example.com/%C3%A4')
    const patch = (body: object) => api('PATCH', `/agents/${reg}`, { token: owner.token, body })
    expect((await patch({ description: 'x' })).body.homepage_url).toBe(agent.homepage_url)
    const { body } = await patch({ homepage_url: null })
    expect(body).toMatchObject({ homepage_url: null, hidden_links: {} })
  })
})

describe('name_changed_at', () => {
  it('is the time of the last change of the name', async () => {
    const { owner, reg } = await newOwner({ name: 'First' })
    const { key } = await newKey(owner, ['read'])
    const changedAt = async () => [
      (await profileOf(reg)).name_changed_at,
      (await api('GET', `/verify/${reg}/full`, { token: key })).body.name_changed_at,
    ]
    const patch = (body: object, now: Date) =>
      api('PATCH', `/agents/${reg}`, { token: owner.token, body, now })
    const [first, second] = [new Date(), new Date(Date.now() + 60_000)]
    await patch({ name: 'First', description: 'changed' }, first)
    expect(await changedAt()).toEqual([null, null])
    await patch({ name: 'Second' }, second)
    await patch({ name: 'Second', description: 'again' }, new Date(Date.now() + 120_000))
    const shown = await changedAt()
    expect(shown[0]?.slice(0, 19)).toBe(second.toISOString().slice(0, 19))
    expect(shown[1]).toBe(shown[0])
  })
})
