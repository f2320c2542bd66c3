import { newAgentKey } from './agent-keys.ts'
import { platformKey } from './attested.ts'
import { openConsole } from './console.ts'
import { deliveriesOf, newIntegration } from './deliveries.ts'
import { freshWord, tirelessKey } from './fill.ts'
import type { Harness } from './harness.ts'
import { memberControl, NOBODY_LISTENS } from './members.ts'
import { placesOf, readAll } from './third-parties.ts'
import { freshDomain, webControl } from './web.ts'

/** An operator whose agent is on the platform of a host, and whose platform has an agent of a guest; each text is a word. */
export async function newWorld(h: Harness) {
  const { api, newOperator, newAgent, newPlatform, report } = h
  const words = {
    agent: freshWord(),
    operator: freshWord(),
    platform: freshWord(),
    record: freshWord(),
    type: freshWord(),
  }
  const [author, guest, integration] = await Promise.all([
    newOperator({ tier: 'business' }),
    newOperator({ tier: 'business' }),
    newIntegration(h),
  ])
  const { operator: host, platform } = integration
  await api('PATCH', '/operators/me', {
    token: author.token,
    body: { name: `Doctor ${words.operator}`, company_name: `Company ${words.operator}` },
  })
  const own = await newPlatform(author, { name: `Market ${words.platform}`, webhook_url: NOBODY_LISTENS })
  const domain = freshDomain()
  const { reg } = await newAgent(author, {
    platform_slug: platform.slug,
    name: `Agent ${words.agent}`,
    description: `It sells ${words.agent}.`,
    specializations: [words.agent],
    homepage_url: `https://${domain}/${words.agent}`,
    card_url: `https://${domain}/${words.agent}.json`,
  })
  await webControl(h).prove(reg, author, { domain })
  const guestAgent = await newAgent(guest, { platform_slug: own.slug })
  const key = await tirelessKey(h, author, ['read', 'write', 'activity:report'])
  const metadata = { title: `Title ${words.record}`, description: `Text ${words.record}` }
  await report(key, reg, { event_type: 'incident', severity: 'error', metadata })
  const { body } = await api('GET', `/agents/${reg}/incidents`)
  const resolution = `Over ${words.record}`
  await api('POST', `/incidents/${body.data[0].incident_id}/resolve`, { token: key, body: { resolution } })
  await report(key, reg, { metadata: { note: words.record } })
  await report(key, reg, { event_type: words.type })
  await memberControl(h).confirm(host, platform.slug, reg)
  await h.cron()

  const [guestKey, hostKey] = await Promise.all([
    tirelessKey(h, guest, ['read']),
    platformKey(h, host, platform.slug),
  ])
  const { kid } = await newAgentKey(h, author, reg)
  const deliveries = await deliveriesOf(h, platform)
  const named = {
    reg: [reg, guestAgent.reg],
    operators: [author.id],
    slug: [platform.slug, own.slug],
    deliveries: deliveries.map(({ id }) => id),
    key_id: [own.id],
    kid: [kid],
  }

  /** Reads everything as everyone but the author. New sessions, because each allows 120 requests per minute. */
  async function readAsOthers() {
    const [guestSession, hostSession, guestVisitor, hostVisitor] = await Promise.all([
      newOperator({ email: guest.email }),
      newOperator({ email: host.email }),
      openConsole(h, guest.email),
      openConsole(h, host.email),
    ])
    const texts = await readAll(h, named, {
      tokens: {
        'a key': guestKey,
        'the platform': hostKey,
        'another operator': guestSession.token,
        'the operator of the platform': hostSession.token,
      },
      visitors: { 'another operator': guestVisitor, 'the operator of the platform': hostVisitor },
    })
    const changed = { token: guestSession.token, body: { platform_slug: own.slug } }
    const confirmed = await api('POST', `/platforms/${platform.slug}/agents/${reg}/confirm`, {
      token: hostSession.token,
    })
    texts.set('PATCH /agents', (await api('PATCH', `/agents/${guestAgent.reg}`, changed)).text)
    texts.set('POST confirm', confirmed.text)
    return texts
  }
  return { words, author, guest, host, integration, reg, guestReg: guestAgent.reg, own, readAsOthers, key }
}

export type World = Awaited<ReturnType<typeof newWorld>>

/** Where each word is shown to others, and how often. The start page depends on other tests. */
export async function shownTo({ words, readAsOthers }: World) {
  const texts = await readAsOthers()
  texts.delete('nobody /')
  return Object.fromEntries(Object.entries(words).map(([of, word]) => [of, placesOf(texts, word)]))
}

/** The routes and readers of places, without the resources. */
export const routesOf = (places: Record<string, number> = {}) =>
  [
    ...new Set(Object.keys(places).map((place) => place.replace(/REG-[-\w]+|(p-)?[-0-9a-f]{36}/g, ':'))),
  ].sort()
