import { afterAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { attestedAgent } from '../support/attested.ts'
import { type Body, expectError, ownStack, type Receiver, startReceiver } from '../support/harness.ts'
import { kycControl } from '../support/kyc.ts'
import { attributeOf, expectPage, pageReader, textsOf } from '../support/pages.ts'
import { expectSigned } from '../support/signature.ts'

const STORY_MS = 600_000
const SENT_ONCE = ['agent.registered', 'agent.ownership_verified', 'incident.created', 'incident.resolved']

const own = await ownStack()
const kyc = kycControl(own)
const receivers: Receiver[] = []
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await own.stop()
})

// Must run first, while there is no agent.
describe('a registry without an agent', () => {
  const read = pageReader(own)

  it('has a start page that invites to register the first one', async () => {
    const page = await read('/')
    expectPage(page, 200)
    expect(page.text).toContain('No agent is registered yet. Yours can be the first.')
    expect(attributeOf(page, 'class="button first"', 'href')).toBe('/console')
    expect(page.html).not.toContain('<h3>')
  })

  it('has a search page that explains agent numbers', async () => {
    const page = await read('/agents')
    expectPage(page, 200)
    expect(textsOf(page, 'h2')).toEqual(['No agent is registered yet', 'What an agent number looks like'])
    expect(textsOf(page, 'dt')).toEqual(['2026', '0001-0042', 'U'])
    expect(textsOf(await read('/agents?class=A'), 'h2')[0]).toBe('No agent found')
  })

  it('has a start page that recommends nobody without a good record', async () => {
    const operator = await own.newOperator()
    for (let n = 0; n < 2; n++) await own.newAgent(operator)
    const page = await read('/')
    expect(page.html).not.toContain('<h3>')
    expect(page.html).toContain('<a href="/agents?status=all">All 2 agents</a>')
  })

  it('omits agents of a suspended operator from the recommended, and from the list that it links to', async () => {
    const { agent, operator, key } = await attestedAgent(own, { now: new Date(Date.now() - 14 * DAY_MS) })
    const events = Array(24).fill({ reg: agent.reg, event_type: 'task_completed', metadata: { quality: 1 } })
    for (let age = 13; age >= 0; age--) {
      const now = new Date(Date.now() - age * DAY_MS)
      await own.api('POST', '/activity/report/batch', { token: key, body: { events }, now })
    }
    await own.cron()
    expect((await read('/')).html).toContain(agent.reg)
    const listed = (await own.api('GET', '/agents/search')).body.pagination.total
    await own.suspend(operator)
    const page = await read('/')
    expect(page.html).not.toContain(agent.reg)
    expect(page.html).toContain(`<a href="/agents?status=all">All ${listed - 1} agents</a>`)
    const list = await read('/agents?status=all')
    expect(list.text).toContain(`${listed - 1} agents`)
    expect(list.html).not.toContain(agent.reg)
  })
})

const today = Math.floor(Date.now() / DAY_MS)
const nextMonday = today + 7 - ((today + 3) % 7) // day 0, 1970-01-01, was a Thursday

/** 09:00 UTC on a day: day 1 is the next Monday, day 8 the one after. */
const day = (n: number) => new Date((nextMonday + n - 1) * DAY_MS + 9 * 3_600_000)

async function ask(
  method: string,
  path: string,
  token: string,
  status: number,
  more: object = {},
): Promise<Body> {
  const response = await own.api(method, path, { token, ...more })
  expect(response.status, response.text).toBe(status)
  return response.body
}

/** Passes an identity check; returns the result. */
async function checkIdentity(token: string): Promise<Body> {
  const started = await ask('POST', '/operators/me/kyc/start', token, 200)
  expect(started.kyc_status).toBe('pending')
  await kyc.decide(started.verification_url, { outcome: 'approve' })
  const state = () => ask('GET', '/operators/me/kyc', token, 200)
  await expect.poll(async () => (await state()).kyc_status).not.toBe('pending')
  return state()
}

async function proveDomain(reg: string, token: string): Promise<void> {
  const domain = `${reg.toLowerCase()}.example.com`
  const body = { domain, method: 'dns' }
  const challenge = await ask('POST', `/agents/${reg}/ownership/challenge`, token, 201, { body })
  const published = await fetch(`${own.web_stand_in_url}/records`, {
    method: 'PUT',
    body: JSON.stringify({ name: challenge.record_name, txt: challenge.record_value }),
  })
  expect(published.status).toBe(204)
  const found = await ask('POST', `/agents/${reg}/ownership/verify`, token, 200)
  expect(found).toMatchObject({ reg, domain, ownership_status: 'verified' })
}

/** Reports the completed and failed tasks of a day, and runs its jobs. */
async function work(reg: string, key: string, now: Date, done: number, failed: number): Promise<void> {
  const task = (event_type: string) => ({ reg, event_type, metadata: { response_ms: 800 } })
  const events = [...Array(done).fill(task('task_completed')), ...Array(failed).fill(task('task_failed'))]
  await ask('POST', '/activity/report/batch', key, 201, { body: { events }, now })
  await own.cron(new Date(now.getTime() + DAY_MS / 4))
}

it(
  'leads a new operator from the first email to a verified agent, a resolved incident and a read digest',
  async () => {
    const { email, token } = await own.signInByMail()
    expect(await ask('GET', '/operators/me', token, 200)).toMatchObject({ email, kyc_status: 'unverified' })

    expect(await checkIdentity(token)).toMatchObject({
      kyc_status: 'verified',
      history: [{ status: 'verified', reason: null }],
    })

    const receiver = await startReceiver()
    receivers.push(receiver)
    const body = { slug: 'corner-shop', name: 'Corner Shop', webhook_url: receiver.url }
    const { webhook_secret } = await ask('POST', '/platforms', token, 201, { body })
    const agentBody = { name: 'Till', class: 'A', description: 'Adds up', platform_slug: 'corner-shop' }
    const { reg } = await ask('POST', '/agents', token, 201, { body: agentBody })
    await proveDomain(reg, token)
    const keyBody = { name: 'the till', permissions: ['read', 'activity:report'] }
    const { id: keyId, key } = await ask('POST', '/operators/me/api-keys', token, 201, { body: keyBody })
    const profile = async (now: Date) => (await own.api('GET', `/agents/${reg}`, { now })).body
    expect(await profile(day(1))).toMatchObject({
      ownership_status: 'verified',
      operator_kyc_status: 'verified',
      platform_name: 'Corner Shop',
      tasks_completed: 0,
      trust_score_overall: null,
    })

    await work(reg, key, day(2), 6, 0)
    await work(reg, key, day(3), 7, 2)
    const metadata = { title: 'Wrong change', description: 'Five customers got too little' }
    const incident = { reg, event_type: 'incident', severity: 'error', metadata }
    await ask('POST', '/activity/report', key, 201, { body: incident, now: day(4) })
    await work(reg, key, day(4), 8, 0)
    const listed = async () => (await own.api('GET', `/agents/${reg}/incidents`, { now: day(5) })).body.data
    const [open] = await listed()
    expect(open).toMatchObject({ ...metadata, severity: 'error', status: 'open' })
    const counts = { tasks_completed: 21, tasks_failed: 2, incident_count: 1 }
    expect(await ask('GET', `/verify/${reg}/full`, key, 200, { now: day(5) })).toMatchObject({
      ...counts,
      open_incident_count: 1,
      events_considered: 24,
    })
    const resolution = { resolution: 'The customers have their money' }
    const path = `/incidents/${open.incident_id}/resolve`
    await ask('POST', path, token, 200, { body: resolution, now: day(5) })
    expect(await listed()).toMatchObject([{ ...metadata, ...resolution, status: 'resolved' }])
    expect(await ask('GET', '/operators/me/dashboard', token, 200, { now: day(5) })).toMatchObject({
      ...counts,
      agent_count: 1,
      open_incident_count: 0,
      average_trust_score: expect.any(Number),
    })
    const score = (await own.api('GET', `/agents/${reg}/trust-score`, { now: day(5) })).body
    expect(Number((await profile(day(5))).trust_score_overall)).toBe(score.overall)
    expect(score).toMatchObject({ events_considered: 24, reliability: expect.any(Number) })

    for (const type of SENT_ONCE)
      expect((await receiver.arrival(1, type)).map(({ event }) => event.data.reg)).toEqual([reg])
    expect((await receiver.arrival(2, 'trust.updated')).at(-1)?.event.data).toMatchObject({ reg })
    for (const webhook of receiver.received) expectSigned(webhook, webhook_secret)

    const monday = day(8)
    await own.cron(monday)
    await own.cron(monday)
    const notifications = () => ask('GET', '/operators/me/notifications', token, 200, { now: monday })
    const before = await notifications()
    const [digest, ...others] = before.data
    const [first, last] = [day(1), day(7)].map((date) => date.toISOString().slice(0, 10))
    expect(digest).toMatchObject({
      type: 'weekly_digest',
      title: `Your week from ${first} to ${last}`,
      body: expect.stringContaining('Tasks completed: 21, failed: 2. Incidents opened: 1, resolved: 1.'),
      read_at: null,
    })
    expect(others).toContainEqual(expect.objectContaining({ type: 'incident_alert', reg, read_at: null }))
    expect(others).not.toContainEqual(expect.objectContaining({ title: digest.title }))
    await ask('POST', `/operators/me/notifications/${digest.id}/read`, token, 200, { now: monday })
    const after = await notifications()
    expect(after.unread_count).toBe(before.unread_count - 1)
    expect(after.data).toEqual([{ ...digest, read_at: expect.stringMatching(/Z$/) }, ...others])

    const log = await ask('GET', '/operators/me/audit-log', token, 200, { now: monday })
    expect(log.data.map(({ action, target }: Body) => [action, target]).reverse()).toEqual([
      ['session.started', expect.anything()],
      ['kyc.started', expect.anything()],
      ['kyc.verified', expect.anything()],
      ['platform.registered', 'corner-shop'],
      ['ownership.verified', reg],
      ['api_key.created', keyId],
    ])

    await ask('DELETE', '/auth/session', token, 204, { now: monday })
    expectError(await own.api('GET', '/operators/me', { token }), 401, 'UNAUTHORIZED')
  },
  STORY_MS,
)
