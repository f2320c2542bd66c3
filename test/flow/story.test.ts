import { afterAll, expect, it } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import {
  type Body,
  expectError,
  freshEmail,
  ownStack,
  type Receiver,
  startReceiver,
} from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'
import { openVisitors, type Visitor } from '../support/visitor.ts'

const STORY_MS = 600_000
const SENT_ONCE = ['agent.registered', 'agent.ownership_verified', 'incident.created', 'incident.resolved']

const { visitors, close } = await openVisitors()
const own = await ownStack({ runWorker: startWorker }) // with the stylesheet and script of its pages
const receivers: Receiver[] = []
afterAll(async () => {
  await Promise.all([close(), ...receivers.map((receiver) => receiver.stop())])
  await own.stop()
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

/** Signs in by email and creates a session token in the console. */
async function signIn(visitor: Visitor, email: string): Promise<string> {
  await visitor.open(`${own.base_url}/api/v1/auth/sign-in`)
  await visitor.fill('Email address', email)
  await visitor.press('Send me a link')
  expect(await visitor.text()).toContain(`We sent a link to ${email}.`)
  await visitor.press('the local mailbox')
  expect(await visitor.text()).toContain(`to ${email}`)
  await visitor.press('Your sign-in link')
  expect(await visitor.text('h1')).toBe('You are signed in')
  expect(await visitor.address()).toContain(`${own.base_url}/api/v1/auth/callback?`)
  await visitor.press('Open the console')
  expect(await visitor.text('h1')).toBe('Overview')
  await visitor.press('Account')
  await visitor.fill('Name of the program', 'a story')
  await visitor.press('Create token')
  return visitor.text('pre')
}

/** Starts an identity check and opens its page; returns the result. */
async function checkIdentity(visitor: Visitor, token: string, decide: () => Promise<void>): Promise<Body> {
  const started = await ask('POST', '/operators/me/kyc/start', token, 200)
  expect(started.kyc_status).toBe('pending')
  await visitor.open(started.verification_url)
  expect(await visitor.text('h1')).toBe('Verify your identity')
  await decide()
  const state = () => ask('GET', '/operators/me/kyc', token, 200)
  await expect.poll(async () => (await state()).kyc_status).not.toBe('pending')
  await visitor.open(started.verification_url)
  expect(await visitor.text('h1')).toBe('This link is not valid')
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

it.each(visitors.slice(0, 1))(
  'leads a new operator from the first email to a verified agent, a resolved incident and a read digest: $1',
  async (visitor) => {
    const email = freshEmail()
    const token = await signIn(visitor, email)
    expect(await ask('GET', '/operators/me', token, 200)).toMatchObject({ email, kyc_status: 'unverified' })

    const verified = await checkIdentity(visitor, token, async () => {
      await visitor.press('Approve')
      expect(await visitor.text('h1')).toBe('Account')
    })
    expect(verified).toMatchObject({
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
      ['session.started', expect.anything()], // in the browser
      ['session.started', expect.anything()], // the token for a program
      ['kyc.started', expect.anything()],
      ['kyc.verified', expect.anything()],
      ['platform.registered', 'corner-shop'],
      ['ownership.verified', reg],
      ['api_key.created', keyId],
    ])

    await ask('DELETE', '/auth/session', token, 204, { now: monday })
    expectError(await own.api('GET', '/operators/me', { token }), 401, 'UNAUTHORIZED')
    expect(visitor.complaints).toEqual([])
  },
  STORY_MS,
)

it.each(visitors)(
  'shows an operator why the identity check failed: $1',
  async (visitor) => {
    const token = await signIn(visitor, freshEmail())
    const reason = 'The face in the selfie does not match the face on the document.'
    const rejected = await checkIdentity(visitor, token, async () => {
      await visitor.fill('Reason for a rejection', reason)
      await visitor.press('Reject')
      expect(await visitor.text('h1')).toBe('Account')
    })
    expect(rejected).toMatchObject({
      kyc_status: 'failed',
      kyc_verified_at: null,
      history: [{ status: 'failed', reason: expect.stringContaining('selfie') }],
    })
    await visitor.open(`${own.base_url}/console/account`)
    expect(await visitor.text()).toMatch(/The last check failed: .*selfie/)
    expect(visitor.complaints).toEqual([])
  },
  STORY_MS,
)
