import { describe, expect, it } from 'vitest'
import { type Body, shared, startReceiver } from '../support/harness.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, newOperator, newReporter, newKey, newPlatform } = h
const web = webControl(h)

const profileOf = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body

const linksOf = async (reg: string) => {
  const { homepage_url, card_url } = await profileOf(reg)
  return { homepage_url, card_url }
}

describe('the domain of an agent', () => {
  it("is shown once it is verified: in the profile, both verify responses, and the operator's list", async () => {
    const { operator: owner, reg, agent } = await newReporter()
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
    await using receiver = await startReceiver()
    const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
    const { operator: owner, reg } = await newReporter({ agent: { platform_slug: platform.slug } })
    const { domain } = await web.prove(reg, owner)
    const homepage_url = `https://${domain}/`
    await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { homepage_url } })
    const [registered] = await receiver.arrival(1, 'agent.registered')
    const [updated] = await receiver.arrival(1, 'agent.updated')
    expect(registered?.event.data).toMatchObject({ reg, domain: null })
    expect(updated?.event.data).toMatchObject({ reg, domain, changed: ['homepage_url'] })
  })
})

describe('homepage_url and card_url', () => {
  it('are public only below the verified domain; the operator sees them with the reason', async () => {
    const domain = freshDomain()
    const links = { homepage_url: `https://${domain}`, card_url: 'https://elsewhere.example/card.json' }
    const { operator: owner, reg, agent } = await newReporter({ agent: links })
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

  it('are public on the subdomains and ports of the domain, stored in ASCII, cleared by null, and unchanged if omitted', async () => {
    const { operator: owner, reg } = await newReporter()
    const { domain } = await web.prove(reg, owner)
    const patch = async (body: object) =>
      (await api('PATCH', `/agents/${reg}`, { token: owner.token, body })).body
    for (const [card_url, isBelow] of [
      [`https://cards.${domain}/ä`, true],
      [`https://${domain.toUpperCase()}:8443/a?b#c`, true],
      [`https://${domain.slice(domain.indexOf('.') + 1)}/`, false],
      [`https://x${domain}/`, false],
      [`https://${domain}.example.net/`, false],
      [`https://example.net/${domain}/`, false],
      [`https://${domain.replace('example', 'exаmple')}/`, false], // a homograph
    ] as const) {
      const hidden_links = isBelow ? {} : { card_url: 'other_domain' }
      const { href } = new URL(card_url)
      expect(await patch({ card_url })).toMatchObject({ card_url: href, hidden_links })
      expect(await linksOf(reg)).toEqual({ homepage_url: null, card_url: isBelow ? href : null })
      expect((await patch({ description: 'x' })).card_url).toBe(href)
    }
    expect(await patch({ card_url: null })).toMatchObject({ card_url: null, hidden_links: {} })
  })
})

it('name_changed_at is the time of the last change of the name', async () => {
  const { operator: owner, reg } = await newReporter({ agent: { name: 'First' } })
  const { key } = await newKey(owner, ['read'])
  const changedAt = async () => [
    (await profileOf(reg)).name_changed_at,
    (await api('GET', `/verify/${reg}/full`, { token: key })).body.name_changed_at,
  ]
  const patch = (body: object, now: Date) => api('PATCH', `/agents/${reg}`, { token: owner.token, body, now })
  const [first, second] = [new Date(), new Date(Date.now() + 60_000)]
  await patch({ name: 'First', description: 'changed' }, first)
  expect(await changedAt()).toEqual([null, null])
  await patch({ name: 'Second' }, second)
  await patch({ name: 'Second', description: 'again' }, new Date(Date.now() + 120_000))
  const shown = await changedAt()
  expect(Math.floor((Date.parse(shown[0]) - second.getTime()) / 60_000)).toBe(0) // the clock of a request runs on
  expect(shown[1]).toBe(shown[0])
})
