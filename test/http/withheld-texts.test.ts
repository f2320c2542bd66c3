import { eventsCheck, verifyAgent } from '@agentreg/verify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openConsole } from '../support/console.ts'
import { deliveriesOf, fillDeliveries } from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { auditOf } from '../support/platforms.ts'
import { tokenParts } from '../support/verification-token.ts'
import { newWorld, routesOf, shownTo, type World } from '../support/withheld-world.ts'

const h = shared()
const { api, admin } = h

/** Where the platform of an agent may read its events, whatever is withheld. */
const EVENTS_OF_PLATFORM = [
  'the platform /api/v1/agents/:/activity',
  'the platform /api/v1/agents/:/log-entries?limit=100',
]
/** Where it may read its events and incidents. */
const OF_PLATFORM = [
  'the operator of the platform /api/v1/platforms/:/deliveries/:',
  'the operator of the platform /console/platforms/:/deliveries/:',
  ...EVENTS_OF_PLATFORM,
]

const TEXTS = ['name', 'description', 'specializations', 'homepage_url', 'card_url']
const substitutes = (reg: string) => ({
  name: reg,
  description: '',
  specializations: [],
  homepage_url: null,
  card_url: null,
})

let world: World
beforeAll(async () => {
  world = await newWorld(h)
})
afterAll(() => world.integration.stop())

const shown = async (path: string, token?: string): Promise<Body> =>
  (await api('GET', path, token === undefined ? {} : { token })).body

/** The searches that find the agent: by its words, also with a typo or in part, and by its number and operator. */
async function searchesThatFind(filter = '') {
  const { words, reg, author } = world
  const word = words.agent
  const queries = {
    words: [word, `${word.slice(0, -2)}${word.at(-1)}${word.at(-2)}`, word.slice(0, 8)].map((q) => `q=${q}`),
    tag: [`specialization=${word}`],
    number: [`q=${reg}`, `operator=${author.id}`],
  }
  const finds = async (query: string) => {
    const { data, pagination } = await shown(`/agents/search?${query}${filter}`)
    expect(pagination.total).toBe(data.length)
    return data.some((item: Body) => item.reg === reg)
  }
  const found = Object.entries(queries).map(async ([by, all]) => {
    const [first, ...others] = await Promise.all(all.map(finds))
    expect([by, ...others]).toEqual([by, ...others.map(() => first)])
    return first ? [by] : []
  })
  return (await Promise.all(found)).flat()
}

it('withheld texts are shown to nobody else, by any route, page or search, and all come back', async () => {
  const { author, guest, host, reg, guestReg, own, integration } = world
  const before = await shownTo(world)
  expect(routesOf(before.agent).length).toBeGreaterThan(40)
  expect(routesOf(before.operator).length).toBeGreaterThan(40)
  expect(routesOf(before.platform).length).toBeGreaterThan(15)
  expect(routesOf(before.record).length).toBeGreaterThan(15)
  expect(routesOf(before.type).length).toBeGreaterThan(5)
  expect(await searchesThatFind()).toEqual(['words', 'tag', 'number'])

  await h.suspend(author)
  const suspended = await shownTo(world)
  expect([suspended.agent, suspended.operator, suspended.platform]).toEqual([{}, {}, {}])
  expect(routesOf(suspended.record)).toEqual(OF_PLATFORM)
  expect(routesOf(suspended.type)).toEqual(EVENTS_OF_PLATFORM)
  for (const filter of ['', '&operator_status=active']) expect(await searchesThatFind(filter)).toEqual([])
  expect(await searchesThatFind('&operator_status=suspended')).toEqual(['number'])
  const operator_name = `Operator ${author.id.slice(-6)}`
  const operator = { operator_name, operator_name_verified: false, operator_status: 'suspended' }
  const ofOperator = ['operator_name', 'operator_name_verified']
  const profile = { ...substitutes(reg), ...operator, withheld: [...TEXTS, ...ofOperator] }
  expect(await shown(`/agents/${reg}`)).toMatchObject({ ...profile, platform_name: 'Platform' })
  const verification = { name: reg, ...operator, withheld: ['name', ...ofOperator] }
  expect(await shown(`/verify/${reg}`)).toMatchObject(verification)
  const { token } = await shown(`/verify/${reg}/token`)
  expect(tokenParts(token).claims).toMatchObject({ verification })
  const { data } = await shown(`/platforms/${integration.platform.slug}/agents`, host.token)
  expect(data).toMatchObject([verification])
  expect(await shown(`/operators/${author.id}`)).toMatchObject({
    name: operator_name,
    name_verified: false,
    status: 'suspended',
    withheld: ['name', 'name_verified'],
  })
  const market = { name: own.slug, operator_status: 'suspended', withheld: ['name'] }
  expect(await shown(`/platforms/${own.slug}`)).toMatchObject(market)
  const onMarket = { platform_name: own.slug, withheld: ['platform_name'] }
  expect(await shown(`/agents/${guestReg}`)).toMatchObject(onMarket)
  const { data: guests } = await shown('/operators/me/agents', guest.token)
  expect(guests).toMatchObject([{ platform_name: own.slug }])
  const incidents = await shown(`/agents/${reg}/incidents`)
  expect(incidents.withheld).toEqual(['title', 'description', 'resolution'])
  const untitled = { title: 'Untitled, severity error', description: '', resolution: '' }
  expect(incidents.data).toMatchObject([untitled])
  await admin('unsuspend', author.email)

  expect(await admin('withhold-text', reg)).toBe(`${reg}: its texts are withheld`)
  await admin('withhold-text', own.slug)
  const withheld = await shownTo(world)
  expect([withheld.agent, withheld.platform]).toEqual([{}, {}])
  expect(withheld.operator).toEqual(before.operator)
  expect(routesOf(withheld.record)).toEqual(OF_PLATFORM)
  expect(routesOf(withheld.type)).toEqual(EVENTS_OF_PLATFORM)
  expect(await searchesThatFind()).toEqual(['number'])
  expect(await shown(`/agents/${reg}`)).toMatchObject({
    ...substitutes(reg),
    operator_name: `Doctor ${world.words.operator}`,
    operator_status: 'active',
    withheld: TEXTS,
  })
  await admin('show-text', reg)
  expect(await admin('show-text', own.slug)).toBe(`${own.slug}: its texts are shown`)
  expect(await shownTo(world)).toEqual(before)
  for (const path of [`/agents/${reg}`, `/operators/${author.id}`, `/platforms/${own.slug}`])
    expect(await shown(path)).not.toHaveProperty('withheld')
})

it('withheld texts include custom types of events, which no filter confirms either', async () => {
  const { reg, words, key } = world
  const read = (query: string, token?: string) => shown(`/agents/${reg}/activity?${query}`, token)
  const types = ({ data }: Body) => data.map(({ event_type }: Body) => event_type)
  await admin('withhold-text', reg)
  const all = await read('')
  expect(types(all)).toEqual(['other', 'task_completed', 'incident'])
  expect(all.withheld).toEqual(['event_type', 'metadata'])
  for (const query of [`type=${words.type}`, `type=${words.type}&from=2020-01-01T00:00:00Z`])
    expect(await read(query)).toMatchObject({ data: [], pagination: { total: 0 } })
  expect(types(await read('type=task_completed'))).toEqual(['task_completed'])
  expect(types(await read(`type=${words.type}`, key))).toEqual([words.type])
  const { body } = await api('GET', `/agents/${reg}/log-entries?kind=event`)
  expect(body.data.map(({ opening }: Body) => Boolean(opening))).toEqual([true, true, false])
  await untilLogged(h, reg)
  const { checks } = await verifyAgent(h.base_url, reg, { also: [eventsCheck] })
  expect(checks.find(({ name }) => name === 'events')).toMatchObject({ ok: true })
  await admin('show-text', reg)
  expect(types(await read(`type=${words.type}`))).toEqual([words.type])
})

it('withheld texts are replaced in webhooks that were queued before', async () => {
  const { author, host, integration, words } = world
  const { platform, receiver } = integration
  const [registered] = await deliveriesOf(h, platform)
  const sendAgain = () =>
    api('POST', `/platforms/${platform.slug}/deliveries/${registered.id}/redeliver`, { token: host.token })
  const arrived = (count: number) =>
    eventually(
      async () => receiver.received.filter(({ event }) => event.id === registered.event_id),
      ({ length }) => length === count,
    )
  await arrived(1)
  const ofOperator = {
    operator_id: author.id,
    operator_name: `Doctor ${words.operator}`,
    operator_name_verified: true,
    kyc_status: 'verified',
    kyc_verified_at: '2026-11-21T10:00:00.000Z',
    regs: [world.reg],
  }
  const [verified] = await fillDeliveries(
    h,
    platform.slug,
    [{ status: 'skipped', type: 'operator.kyc_verified', at: new Date() }],
    ofOperator,
  )
  const dataOfVerified = async () => {
    const path = `/platforms/${platform.slug}/deliveries/${verified.id}`
    return (await api('GET', path, { token: host.token })).body.payload.data
  }
  expect(await dataOfVerified()).toEqual(ofOperator)
  await h.suspend(author)
  await sendAgain()
  await arrived(2)
  expect(await dataOfVerified()).toEqual({
    ...ofOperator,
    operator_name: `Operator ${author.id.slice(-6)}`,
    operator_name_verified: false,
    withheld: expect.arrayContaining(['operator_name', 'operator_name_verified']),
  })
  await admin('unsuspend', author.email)
  await sendAgain()
  const [first, withheld, again] = await arrived(3)
  expect(withheld?.raw).not.toContain(words.agent)
  expect(withheld?.event.data).toEqual({
    ...first?.event.data,
    name: world.reg,
    description: '',
    specializations: [],
    operator_name: `Operator ${author.id.slice(-6)}`,
    operator_name_verified: false,
    withheld: expect.arrayContaining(['name', 'description', 'specializations', 'operator_name']),
  })
  expect(again?.raw).toBe(first?.raw)
  await admin('withhold-text', world.reg)
  await sendAgain()
  const ofAgent = (await arrived(4))[3]?.event.data
  await admin('show-text', world.reg)
  expect(ofAgent.withheld.toSorted()).toEqual(['description', 'name', 'specializations'])
})

it('withheld texts are shown to their operator, marked, with the act in its audit log', async () => {
  const { author, reg, own, words, key } = world
  const { token } = author
  await admin('withhold-text', reg)
  await admin('withhold-text', reg)
  await admin('withhold-text', own.slug)
  const texts_withheld_at = expect.stringMatching(/Z$/)
  const { data } = (await api('GET', '/operators/me/agents', { token })).body
  expect(data).toMatchObject([{ name: `Agent ${words.agent}`, texts_withheld_at }])
  const changed = await api('PATCH', `/agents/${reg}`, {
    token,
    body: { description: `New ${words.agent}` },
  })
  expect(changed.body).toMatchObject({ description: `New ${words.agent}`, texts_withheld_at })
  expect((await api('GET', `/agents/${reg}`)).text).not.toContain(words.agent)
  const platform = (await api('GET', `/platforms/${own.slug}`, { token })).body
  expect(platform).toMatchObject({ name: `Market ${words.platform}`, texts_withheld_at })
  expect((await api('GET', `/agents/${reg}/activity`, { token: key })).text).toContain(words.record)
  const visitor = await openConsole(h, author.email)
  for (const path of [`/console/agents/${reg}`, `/console/platforms/${own.slug}`])
    expect((await visitor.get(path)).text).toContain('The registry withholds')
  await admin('show-text', reg)
  await admin('show-text', own.slug)
  const actions = await auditOf(h, author, '%.texts_%')
  expect(actions.slice(-4)).toEqual([
    { action: 'agent.texts_withheld', target: reg },
    { action: 'platform.texts_withheld', target: own.slug },
    { action: 'agent.texts_shown', target: reg },
    { action: 'platform.texts_shown', target: own.slug },
  ])
  await untilLogged(h, reg)
  const { body } = await api('GET', `/agents/${reg}/log-entries?kind=withholding`)
  const leaves = body.data.map(({ leaf }: Body) => JSON.parse(leaf))
  expect(leaves.slice(-2)).toMatchObject([
    { rev: leaves.length - 1, state: 'withheld' },
    { rev: leaves.length, state: 'shown' },
  ])
  await expect(admin('withhold-text', 'no-such-platform')).rejects.toThrow(
    'there is no platform no-such-platform',
  )
})

it('a search does not list an agent whose registration ends after the suspension of its operator', async () => {
  const operator = await h.newOperator({ tier: 'business' })
  const register = () =>
    api('POST', '/agents', { token: operator.token, body: { name: 'Scout', class: 'A' } })
  await Promise.all([...Array.from({ length: 20 }, register), h.suspend(operator)])
  const search = `/agents/search?operator=${operator.id}`
  expect((await shown(search)).data).toEqual([])
  const [{ count }] = await h.sql('select count(*)::integer from agents where operator_id = $1', [
    operator.id,
  ])
  expect((await shown(`${search}&operator_status=suspended`)).pagination.total).toBe(count)
})
