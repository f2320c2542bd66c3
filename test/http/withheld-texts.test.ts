import { eventsCheck, verifyAgent } from '@agentreg/verify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { openConsole } from '../support/console.ts'
import { deliveriesOf } from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { auditOf } from '../support/platforms.ts'
import { newWorld, routesOf, shownTo, type World } from '../support/withheld-world.ts'

const h = shared()
const { api } = h
const admin = (...args: string[]) => administer(h.database_url, args)

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

describe('the texts of a suspended operator', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld(h)
  })
  afterAll(() => world.integration.stop())

  it('are shown to nobody else, by any route or page, and all come back when the suspension ends', async () => {
    const before = await shownTo(world)
    expect(routesOf(before.agent).length).toBeGreaterThan(40)
    expect(routesOf(before.operator).length).toBeGreaterThan(40)
    expect(routesOf(before.platform).length).toBeGreaterThan(15)
    expect(routesOf(before.record).length).toBeGreaterThan(15)
    expect(routesOf(before.type).length).toBeGreaterThan(5)
    await h.suspend(world.author)
    const { record, type, ...rest } = await shownTo(world)
    expect(rest).toEqual({ agent: {}, operator: {}, platform: {} })
    expect(routesOf(record)).toEqual(OF_PLATFORM)
    expect(routesOf(type)).toEqual(EVENTS_OF_PLATFORM)
    await admin('unsuspend', world.author.email)
    expect(await shownTo(world)).toEqual(before)
  })

  it('are replaced by number, id, and slug, and each response names the substitutes', async () => {
    const { author, guest, host, reg, guestReg, own, integration } = world
    const shown = async (path: string, token?: string) =>
      (await api('GET', path, token === undefined ? {} : { token })).body
    await h.suspend(author)
    const operator_name = `Operator ${author.id.slice(-6)}`
    const operator = { operator_name, operator_name_verified: false, operator_status: 'suspended' }
    const ofOperator = ['operator_name', 'operator_name_verified']
    expect(await shown(`/agents/${reg}`)).toMatchObject({
      ...substitutes(reg),
      ...operator,
      platform_name: 'Platform',
      withheld: [...TEXTS, ...ofOperator],
    })
    const verification = { name: reg, ...operator, withheld: ['name', ...ofOperator] }
    expect(await shown(`/verify/${reg}`)).toMatchObject(verification)
    const { token } = await shown(`/verify/${reg}/token`)
    const [, payload = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ verification })
    const { data } = await shown(`/platforms/${integration.platform.slug}/agents`, host.token)
    expect(data).toMatchObject([verification])
    expect(await shown(`/operators/${author.id}`)).toMatchObject({
      name: operator_name,
      name_verified: false,
      status: 'suspended',
      withheld: ['name', 'name_verified'],
    })
    expect(await shown(`/platforms/${own.slug}`)).toMatchObject({
      name: own.slug,
      operator_status: 'suspended',
      withheld: ['name'],
    })
    const guestProfile = await shown(`/agents/${guestReg}`)
    expect(guestProfile).toMatchObject({ platform_name: own.slug, withheld: ['platform_name'] })
    expect((await shown('/operators/me/agents', guest.token)).data).toMatchObject([
      { platform_name: own.slug },
    ])
    const { data: found } = await shown(`/agents/search?operator=${author.id}&operator_status=suspended`)
    expect(found).toEqual([
      {
        reg,
        name: reg,
        class: 'A',
        status: 'active',
        trust_score_overall: null,
        tasks_completed: 1,
        operator_name,
      },
    ])
    await admin('unsuspend', author.email)
    for (const path of [`/agents/${reg}`, `/operators/${author.id}`, `/platforms/${own.slug}`])
      expect(await shown(path)).not.toHaveProperty('withheld')
  })

  it('include custom types of events, which no filter confirms either', async () => {
    const { reg, words, key } = world
    const read = async (query: string, token?: string) =>
      (await api('GET', `/agents/${reg}/activity?${query}`, token === undefined ? {} : { token })).body
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

  it('are replaced in webhooks that were queued before', async () => {
    const { author, host, integration, words } = world
    const { platform, receiver } = integration
    const [registered] = await deliveriesOf(h, platform)
    const sendAgain = () =>
      api('POST', `/platforms/${platform.slug}/deliveries/${registered.id}/redeliver`, { token: host.token })
    const isRegistered = ({ event }: { event: Body }) => event.id === registered.event_id
    const sent = () => receiver.received.filter(isRegistered)
    await eventually(
      async () => sent(),
      (all) => all.length === 1,
    )
    await h.suspend(author)
    await sendAgain()
    await eventually(
      async () => sent(),
      (all) => all.length === 2,
    )
    await admin('unsuspend', author.email)
    await sendAgain()
    const [first, withheld, again] = await eventually(
      async () => sent(),
      (all) => all.length === 3,
    )
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
  })
})

describe('texts that an administrator withholds', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld(h)
  })
  afterAll(() => world.integration.stop())

  it('are shown to nobody else, by any route or page, and all come back', async () => {
    const { reg, own } = world
    const before = await shownTo(world)
    expect(await admin('withhold-text', reg)).toBe(`${reg}: its texts are withheld`)
    await admin('withhold-text', own.slug)
    const { operator, record, type, ...rest } = await shownTo(world)
    expect(rest).toEqual({ agent: {}, platform: {} })
    expect(operator).toEqual(before.operator)
    expect(routesOf(record)).toEqual(OF_PLATFORM)
    expect(routesOf(type)).toEqual(EVENTS_OF_PLATFORM)
    expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({
      ...substitutes(reg),
      operator_name: `Doctor ${world.words.operator}`,
      operator_status: 'active',
      withheld: TEXTS,
    })
    await admin('show-text', reg)
    expect(await admin('show-text', own.slug)).toBe(`${own.slug}: its texts are shown`)
    expect(await shownTo(world)).toEqual(before)
  })

  it('are shown to their operator, marked, with the act in its audit log', async () => {
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
    const actions = (await auditOf(h, author)).filter(({ action }) => action.includes('.texts_'))
    expect(actions.slice(-4)).toEqual([
      { action: 'agent.texts_withheld', target: reg },
      { action: 'platform.texts_withheld', target: own.slug },
      { action: 'agent.texts_shown', target: reg },
      { action: 'platform.texts_shown', target: own.slug },
    ])
    await untilLogged(h, reg)
    const { body } = await api('GET', `/agents/${reg}/log-entries?kind=withholding`)
    const leaves = body.data.map(({ leaf }: Body) => JSON.parse(leaf))
    expect(leaves.map(({ rev, state }: Body) => [rev, state])).toEqual([
      [1, 'withheld'],
      [2, 'shown'],
      [3, 'withheld'],
      [4, 'shown'],
    ])
    await expect(admin('withhold-text', 'no-such-platform')).rejects.toThrow(
      'there is no platform no-such-platform',
    )
  })
})
