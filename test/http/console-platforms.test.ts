import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { establish } from '../support/attested.ts'
import { type ConsoleVisitor, forgedFields, newVisitor, openConsole, problemAt } from '../support/console.ts'
import { freshSlug, type Operator, shared } from '../support/harness.ts'
import { memberControl, NOBODY_LISTENS } from '../support/members.ts'
import { auditOf } from '../support/platforms.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform } = h
const { newMembership, profile, audited } = memberControl(h)

const at = (slug: string, below = '') => `/console/platforms/${slug}${below}`
const platformOf = async ({ token }: Operator, slug: string) =>
  (await api('GET', `/platforms/${slug}`, { token })).body
const secretIn = (text: string) => /whsec_[A-Za-z0-9+/=]{44}/.exec(text)?.[0]

it('a webhook that is disabled or whose attempts fail is shown on the overview and the pages of platforms', async () => {
  const { visitor, operator } = await newVisitor(h)
  await newAgent(operator)
  const { slug } = await newPlatform(operator, { webhook_url: NOBODY_LISTENS })
  const shown = async () => {
    const [overview = '', ...others] = await Promise.all(
      ['/console', '/console/platforms', at(slug)].map(async (page) => (await visitor.get(page)).text),
    )
    expect(overview.includes('no failing webhooks')).toBe(!overview.includes('Failing webhooks'))
    return [
      overview.includes(`href="/console/platforms/${slug}"`),
      ...others.map((text) => /Webhook (failing|disabled)/.test(text)),
      /<div class="note [a-z]+"><p>(.*?)[.;] /.exec(others.at(-1) ?? '')?.[1],
    ]
  }
  const states = [
    [`webhook_status = 'enabled'`, undefined],
    ['attempts_without_response = 1', 'None of the last 1 attempts returned status 2xx'],
    ['attempts_without_response = 0, consecutive_failures = 1', '1 delivery has failed'],
    [
      `consecutive_failures = 0, webhook_status = 'disabled'`,
      'The webhook is disabled: the receiver returned status 410',
    ],
    [
      'attempts_without_response = 50',
      'The webhook is disabled: none of the last 50 attempts returned status 2xx',
    ],
  ]
  for (const [n, [state, why]] of states.entries()) {
    await sql(`update platforms set ${state} where slug = $1`, [slug])
    expect([state, ...(await shown())]).toEqual([state, n > 0, n > 0, n > 0, why])
  }
  await api('DELETE', `/platforms/${slug}`, { token: operator.token })
  expect(await shown()).toEqual([false, false, false, undefined])
})

it('the overview of a platform shows its settings, who it is to the registry, and five agents to confirm', async () => {
  const { visitor, operator } = await newVisitor(h, { tier: 'pro' })
  const { slug } = await newPlatform(operator, { admission: 'approval', event_types: ['trust.updated'] })
  const overview = async () => {
    const { text } = await visitor.get(at(slug))
    return [text.match(/>Remove…</g)?.length, /All \d agents to confirm/.exec(text)?.[0]]
  }
  const other = await newOperator({ tier: 'pro' })
  for (let n = 0; n < 5; n++) await newAgent(other, { platform_slug: slug })
  expect(await overview()).toEqual([5, undefined])
  await newAgent(other, { platform_slug: slug })
  expect(await overview()).toEqual([5, 'All 6 agents to confirm'])
  expect((await visitor.get(at(slug))).text).toMatch(/<dt>Events<\/dt>\s*<dd>1 of \d types</)
  await establish(h, slug)
  expect((await visitor.get(at(slug))).text).toContain('established since')
  await sql('update platforms set distrusted_at = now() where slug = $1', [slug])
  expect((await visitor.get(at(slug))).text).toContain('distrusted by the registry since')
})

describe('registering a platform in the console', () => {
  const fields = (slug: string, more: Record<string, string | string[]> = {}) => ({
    slug,
    name: 'Acme Market',
    webhook_url: NOBODY_LISTENS,
    events: 'some',
    event_types: ['trust.updated', 'incident.created'],
    admission: 'approval',
    ...more,
  })
  const send = (visitor: ConsoleVisitor, input: Record<string, string | string[]>) =>
    visitor.send('/console/platforms/new', '/console/platforms/new', input)

  it('creates the same platform as the API, once, and shows its secret once', async () => {
    const { visitor, operator } = await newVisitor(h)
    const slug = freshSlug()
    const hiddenFields = await visitor.fieldsOf('/console/platforms/new', '/console/platforms/new')
    const { event_types, ...input } = { ...hiddenFields, ...fields(slug) }
    const form = [...Object.entries(input), ...event_types.map((type) => ['event_types', type])]
    const post = () => visitor.post('/console/platforms/new', form as [string, string][])
    const made = await post()
    expect(made).toMatchObject({ status: 200, title: 'Platform registered · Agent Registry' })
    expect(made.headers.get('cache-control')).toContain('no-store')
    expect(secretIn(made.text)).toBeDefined()
    expect(made.text).toContain('>Send a test event<')
    const again = await post()
    expect(again).toMatchObject({ status: 409, title: 'Already shown · Agent Registry' })
    expect(secretIn(again.text)).toBeUndefined()
    expect((await api('GET', '/platforms', { token: operator.token })).body.data).toMatchObject([
      {
        slug,
        name: 'Acme Market',
        webhook_url: NOBODY_LISTENS,
        event_types: ['trust.updated', 'incident.created'],
        admission: 'approval',
        status: 'active',
      },
    ])
    for (const page of ['/console/platforms', at(slug), at(slug, '/settings'), at(slug, '/secret')]) {
      const { status, text } = await visitor.get(page)
      expect({ page, status, secret: secretIn(text) }).toEqual({ page, status: 200, secret: undefined })
    }
    expect(await auditOf(h, operator, 'platform.registered')).toHaveLength(1)
    expect((await send(visitor, fields(freshSlug(), { webhook_url: '' }))).text).toContain(
      '>Open the platform<',
    )
  })

  it('rejects each invalid field, and keeps the input', async () => {
    const { visitor, operator } = await newVisitor(h)
    const taken = await newPlatform(await newOperator())
    const wrongs: [field: string, wrong: object, message: RegExp, status?: number][] = [
      ['name', { name: '' }, /must not be empty/],
      ['slug', { slug: 'Not A Slug' }, /must be 2 to 50/],
      ['slug', { slug: taken.slug }, /is already taken; choose another/, 409],
      ['webhook_url', { webhook_url: 'https://127.0.0.1/hook' }, /must/],
      ['event_types', { event_types: [] }, /at least one event type/],
      ['event_types', { event_types: ['no.type'] }, /must be one of/],
      ['admission', { admission: 'closed' }, /must be open or approval/],
    ]
    for (const [field, wrong, message, status = 400] of wrongs) {
      const rejected = await send(visitor, fields(freshSlug(), { name: 'As typed', ...wrong }))
      expect({ field, status: rejected.status }).toEqual({ field, status })
      expect(problemAt(rejected.text, field)).toMatch(message)
      if (field !== 'name') expect(rejected.text).toContain('value="As typed"')
      expect(rejected.text.includes('<fieldset aria-describedby="admission-problem">')).toBe(
        field === 'admission',
      )
    }
    expect((await api('GET', '/platforms', { token: operator.token })).body.data).toEqual([])
  })
})

it('a slug that no platform can have is unknown, and shortened in the message', async () => {
  const { visitor } = await newVisitor(h)
  for (const [slug, shown] of [
    ['%00', '\0'],
    ['x'.repeat(60), 'x'.repeat(50)],
  ] as const) {
    const { status, text } = await visitor.get(at(slug))
    expect(status).toBe(404)
    expect(text).toContain(`You have no platform &#39;${shown}&#39;.`)
  }
})

describe("a platform's settings in the console", () => {
  it('can be changed as in the API, with one audit entry', async () => {
    const { visitor, operator } = await newVisitor(h)
    const { slug } = await newPlatform(operator, { webhook_url: NOBODY_LISTENS })
    const input = { name: '<b>Acme', webhook_url: '', events: 'all', admission: 'approval' }
    const changed = await visitor.send(at(slug, '/settings'), at(slug, '/settings'), input)
    expect(changed).toMatchObject({
      status: 303,
      location: at(slug, '/settings'),
      notice: 'platform-changed.0',
    })
    expect(await platformOf(operator, slug)).toMatchObject({
      name: '<b>Acme',
      webhook_url: null,
      event_types: null,
      admission: 'approval',
    })
    for (const page of [at(slug), at(slug, '/settings'), at(slug, '/deliveries'), '/console/platforms'])
      expect((await visitor.get(page)).text, page).toContain('&lt;b&gt;Acme')
    expect(await auditOf(h, operator, 'platform.updated')).toHaveLength(1)
  })

  it('are shown with each event type, and not changed by a rejected form, which keeps the input', async () => {
    const { visitor, operator } = await newVisitor(h)
    const { slug } = await newPlatform(operator, { name: 'Before', event_types: ['trust.updated'] })
    const path = at(slug, '/settings')
    const { text } = await visitor.get(path)
    const { body } = await api('GET', '/event-types')
    for (const { description } of body.data) expect(text).toContain(description.replace("'", '&#39;'))
    for (const other of ['name="slug"', '-problem"', 'autofocus']) expect(text).not.toContain(other)
    expect(text).toContain('name="events" value="all" aria-describedby="events-all-hint">')
    expect(text).toContain('name="events" value="some" checked>')
    const checked = [...text.matchAll(/<input type="(?:checkbox|radio)"[^>]*value="([^"]*)"[^>]* checked>/g)]
    expect(checked.map(([, value]) => value)).toEqual(['some', 'trust.updated', 'open'])
    const input = { name: 'After', webhook_url: 'nonsense', events: 'some', admission: 'open' }
    const rejected = await visitor.send(path, path, input)
    expect(rejected.status).toBe(400)
    expect(problemAt(rejected.text, 'event_types')).toMatch(/at least one event type/)
    expect(rejected.text).toContain('<fieldset id="event_types" aria-describedby="event_types-problem">')
    const focused = [...rejected.text.matchAll(/<input type="checkbox" id="([^"]*)"[^>]* autofocus>/g)]
    expect(focused.map(([, id]) => id)).toEqual(['event-agent.registered'])
    for (const value of ['After', 'nonsense']) expect(rejected.text).toContain(`value="${value}"`)
    expect(await platformOf(operator, slug)).toMatchObject({ name: 'Before', event_types: ['trust.updated'] })
  })
})

describe('the webhook secret in the console', () => {
  it('is rotated and shown once, with the time left for the previous one', async () => {
    const now = new Date('2030-01-10T10:00:00Z')
    const operator = await newOperator()
    const visitor = await openConsole(h, operator.email, { 'X-Test-Now': now.toISOString() })
    const { slug, webhook_secret: first } = await newPlatform(operator)
    const path = at(slug, '/secret')
    const rotated = await visitor.send(path, path, {})
    expect(rotated.status).toBe(200)
    expect(rotated.headers.get('cache-control')).toContain('no-store')
    expect([undefined, first]).not.toContain(secretIn(rotated.text))
    // A request may be some milliseconds before the one before it, which rounds up to another minute.
    const left = /2030-01-11 10:00 UTC<\/time> \(24 h [01] min left\)/
    for (const text of [rotated.text, (await visitor.get(at(slug))).text]) expect(text).toMatch(left)
    await sql(`update platforms set previous_webhook_secret_until = '2030-01-10T09:59:59Z' where slug = $1`, [
      slug,
    ])
    for (const page of ['', '/settings', '/secret'])
      expect((await visitor.get(at(slug, page))).text).not.toContain('2030-01-1')
  })

  it('is rotated once by a form that is sent 20 times in parallel, and no response is stored', async () => {
    const { visitor, operator } = await newVisitor(h)
    const { slug } = await newPlatform(operator)
    const path = at(slug, '/secret')
    const hiddenFields = await visitor.fieldsOf(path, path)
    const sent = await Promise.all(Array.from({ length: 20 }, () => visitor.post(path, hiddenFields)))
    expect(sent.flatMap(({ text }) => secretIn(text) ?? [])).toHaveLength(1)
    expect(sent.filter(({ status }) => status === 409)).toHaveLength(19)
    expect(await auditOf(h, operator, 'platform.secret_rotated')).toHaveLength(1)
    expect(await sql(`select from idempotency_keys where answer ->> 'slug' = $1`, [slug])).toEqual([])
    expect(secretIn((await visitor.send(path, path, {})).text)).toBeDefined()
  })

  it('is rotated once by a form that was shown before the clock went back', async () => {
    const { visitor, operator } = await newVisitor(h)
    const path = at((await newPlatform(operator)).slug, '/secret')
    const fields = await forgedFields(h.dir, visitor, path, new Date(Date.now() + DAY_MS))
    const statuses = [await visitor.post(path, fields), await visitor.post(path, fields)]
    expect(statuses.map(({ status }) => status)).toEqual([200, 409])
  })
})

it('retiring a platform in the console requires its slug', async () => {
  const { visitor, operator } = await newVisitor(h)
  const { slug } = await newPlatform(operator, { admission: 'approval' })
  const { reg } = await newAgent(await newOperator(), { platform_slug: slug })
  const path = at(slug, '/retire')
  const typed = slug.toUpperCase()
  const rejected = await visitor.send(path, path, { slug: typed })
  expect(rejected.status).toBe(400)
  expect(problemAt(rejected.text, 'slug')).toBe(`must be ${slug}`)
  expect(rejected.text).toContain(`value="${typed}"`)
  expect((await platformOf(operator, slug)).status).toBe('active')
  expect(await visitor.send(path, path, { slug })).toMatchObject({ status: 303 })
  expect((await platformOf(operator, slug)).status).toBe('retired')
  expect((await visitor.get(at(slug, '/settings'))).text).not.toContain('<textarea')
  const rotated = await visitor.send(at(slug, '/secret'), at(slug, '/secret'), {})
  expect(rotated.status).toBe(409)
  expect(rotated.text).toContain('is retired permanently')
  for (const page of [at(slug), at(slug, '/agents')]) {
    const { text } = await visitor.get(page)
    expect([page, text.includes(reg)]).toEqual([page, page !== at(slug)])
    for (const other of ['Agents to confirm', 'Actions', 'Remove…', 'class="note"'])
      expect(text).not.toContain(other)
  }
})

it('agents of a platform can be confirmed, and are removed after a confirmation page', async () => {
  const { host, owner, slug, reg } = await newMembership({ admission: 'approval' })
  const visitor = await openConsole(h, host.email)
  const confirm = at(slug, `/agents/${reg}/confirm`)
  const done = await visitor.send(at(slug), confirm, {})
  expect(done).toMatchObject({ status: 303, location: at(slug, '/agents'), notice: 'member-confirmed.0' })
  expect(await profile(reg)).toMatchObject({ platform_state: 'confirmed' })
  expect(await audited(host, reg)).toEqual(['platform.agent_confirmed'])
  const list = async (state: string) => {
    const { status, text } = await visitor.get(at(slug, `/agents?state=${state}`))
    return [status, text.includes(reg), text.includes(confirm)]
  }
  const waiting = at(slug, '/agents?state=claimed')
  expect((await visitor.get(at(slug, '/agents'))).text).toContain(`href="${waiting}"`)
  expect((await visitor.get(waiting)).text).toContain('No agent is waiting for your confirmation')
  expect((await visitor.get('/console/audit')).text).toContain(`href="/agents/${reg}">${slug}/${reg}<`)
  expect(await list('confirmed')).toEqual([200, true, false])
  expect(await list('claimed')).toEqual([200, false, false])
  expect(await list('unknown')).toEqual([400, false, false])
  await sql(`update operators set name_verified_at = now() where id = $1`, [owner.id])
  await sql(`update agents set platform_leaves_at = now() + interval '7 days' where reg = $1`, [reg])
  expect((await visitor.get(at(slug, '/agents'))).text).toMatch(/leaves <time.*✓ name checked/s)
  await sql('update agents set platform_leaves_at = null where reg = $1', [reg])

  const remove = at(slug, `/agents/${reg}/remove`)
  expect((await visitor.get(remove)).text).toContain('cannot join it again for 30 days')
  expect(await profile(reg)).toMatchObject({ platform_slug: slug })
  expect(await visitor.send(remove, remove, {})).toMatchObject({ status: 303 })
  expect(await profile(reg)).toMatchObject({ platform_slug: null })
  const { body } = await api('GET', '/operators/me/notifications', { token: owner.token })
  expect(body.data).toMatchObject([{ type: 'platform_membership', reg }])
})
