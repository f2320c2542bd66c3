import { describe, expect, it } from 'vitest'
import { type ConsoleVisitor, openConsole } from '../support/console.ts'
import { freshEmail, freshSlug, type Operator, shared } from '../support/harness.ts'
import { NOBODY_LISTENS } from '../support/members.ts'
import { auditOf, PLATFORM_PAGES } from '../support/platforms.ts'

const h = shared()
const { api, sql, newOperator, newPlatform } = h

const HOSTILE = `<script>alert("1")</script> & 'co'`
const ESCAPED = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;'

/** An operator who is signed in to the console and has a token for the API. */
async function newVisitor(headers: Record<string, string> = {}) {
  const email = freshEmail()
  const visitor = await openConsole(h, email, headers)
  const operator = await newOperator({ email, tier: 'pro' })
  return { visitor, operator }
}

const at = (slug: string, below = '') => `/console/platforms/${slug}${below}`
const platformOf = async ({ token }: Operator, slug: string) =>
  (await api('GET', `/platforms/${slug}`, { token })).body
const secretIn = (text: string) => /whsec_[A-Za-z0-9+/=]{44}/.exec(text)?.[0]
const alertIn = (text: string) => /role="alert"><p>(.*?)<\/p>/s.exec(text)?.[1]
const problemOf = (text: string, field: string) =>
  RegExp(`id="${field}-problem">(.*?)</div>`, 's').exec(text)?.[1]

it('the overview shows a webhook that has failed since its first attempt', async () => {
  const { visitor, operator } = await newVisitor()
  await h.newAgent(operator)
  const { slug } = await newPlatform(operator, { webhook_url: NOBODY_LISTENS })
  expect((await visitor.get('/console')).text).toContain('no failing webhooks')
  await sql('update platforms set attempts_without_response = 1 where slug = $1', [slug])
  const { text } = await visitor.get('/console')
  expect(text).toContain('Failing webhooks')
  expect(text).toContain(`href="/console/platforms/${slug}"`)
  expect(text).not.toContain('no failing webhooks')
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

  it('creates the same platform as the API, and shows its secret once', async () => {
    const { visitor, operator } = await newVisitor()
    expect((await visitor.get('/console/platforms')).text).toContain('No platforms yet')
    const slug = freshSlug()
    const made = await send(visitor, fields(slug))
    expect(made).toMatchObject({ status: 200, title: 'Platform registered · Agent Registry' })
    expect(made.headers.get('cache-control')).toContain('no-store')
    expect(secretIn(made.text)).toBeDefined()
    expect(await platformOf(operator, slug)).toMatchObject({
      name: 'Acme Market',
      webhook_url: NOBODY_LISTENS,
      event_types: ['trust.updated', 'incident.created'],
      admission: 'approval',
      status: 'active',
    })
    for (const page of ['/console/platforms', at(slug), at(slug, '/settings'), at(slug, '/secret')]) {
      const { status, text } = await visitor.get(page)
      expect({ page, status, secret: secretIn(text) }).toEqual({ page, status: 200, secret: undefined })
    }
    expect((await auditOf(h, operator)).map(({ action }) => action)).toContain('platform.registered')
  })

  it('says after a reload that the secret was shown, and creates nothing', async () => {
    const { visitor, operator } = await newVisitor()
    const slug = freshSlug()
    const hiddenFields = await visitor.fieldsOf('/console/platforms/new', '/console/platforms/new')
    const input = { ...hiddenFields, slug, name: 'Acme', events: 'all', admission: 'open' }
    expect((await visitor.post('/console/platforms/new', input)).status).toBe(200)
    const again = await visitor.post('/console/platforms/new', input)
    expect(again).toMatchObject({ status: 409, title: 'Already shown · Agent Registry' })
    expect(secretIn(again.text)).toBeUndefined()
    const { body } = await api('GET', '/platforms', { token: operator.token })
    expect(body.pagination.total).toBe(1)
  })

  it.each([
    ['name', { name: '' }, /must not be empty/],
    ['slug', { slug: 'Not A Slug' }, /must be 2 to 50/],
    ['slug', { slug: 'admin' }, /reserved/],
    ['webhook_url', { webhook_url: 'http://example.com/hook' }, /must be an https URL/],
    ['webhook_url', { webhook_url: 'https://127.0.0.1/hook' }, /must/],
    ['event_types', { event_types: [] }, /at least one event type/],
    ['event_types', { event_types: ['no.type'] }, /must be one of/],
    ['admission', { admission: 'closed' }, /must be open or approval/],
  ])('rejects an invalid %s at its field, and keeps the input', async (field, wrong, message) => {
    const { visitor, operator } = await newVisitor()
    const rejected = await send(visitor, fields(freshSlug(), { name: 'As typed', ...wrong }))
    expect(rejected.status).toBe(400)
    expect(problemOf(rejected.text, field)).toMatch(message)
    if (field !== 'name') expect(rejected.text).toContain('value="As typed"')
    expect((await api('GET', '/platforms', { token: operator.token })).body.data).toEqual([])
  })

  it('rejects a slug that is taken, and a platform above the quota, and says what to do', async () => {
    const { visitor } = await newVisitor()
    const taken = await newPlatform(await newOperator())
    const rejected = await send(visitor, fields(taken.slug))
    expect({ status: rejected.status, problem: problemOf(rejected.text, 'slug') }).toEqual({
      status: 409,
      problem: `&#39;${taken.slug}&#39; is already taken; choose another`,
    })
    const { visitor: freeVisitor, operator } = await newVisitor()
    await sql(`update operators set tier = 'free' where id = $1`, [operator.id])
    for (let n = 0; n < 3; n++) await newPlatform(operator)
    const over = await send(freeVisitor, fields(freshSlug()))
    expect(over.status).toBe(409)
    expect(alertIn(over.text)).toMatch(
      /your tier allows 3 platforms.*retire one that was registered more than 30 days ago/i,
    )
  })
})

describe("a platform's settings in the console", () => {
  it('can be changed as in the API, with one audit entry', async () => {
    const { visitor, operator } = await newVisitor()
    const { slug } = await newPlatform(operator, { webhook_url: NOBODY_LISTENS })
    const input = { name: HOSTILE, webhook_url: '', events: 'all', admission: 'approval' }
    const changed = await visitor.send(at(slug, '/settings'), at(slug, '/settings'), input)
    expect(changed).toMatchObject({
      status: 303,
      location: `${at(slug, '/settings')}?notice=platform-changed`,
    })
    expect(await platformOf(operator, slug)).toMatchObject({
      name: HOSTILE,
      webhook_url: null,
      event_types: null,
      admission: 'approval',
    })
    const { text } = await visitor.get(changed.location ?? '')
    expect(text).toContain('The settings are saved.')
    for (const page of [at(slug), at(slug, '/settings'), at(slug, '/deliveries'), '/console/platforms']) {
      const shown = (await visitor.get(page)).text
      expect(shown, page).toContain(ESCAPED)
      expect(shown, page).not.toContain(HOSTILE)
    }
    expect((await auditOf(h, operator)).filter(({ action }) => action === 'platform.updated')).toHaveLength(1)
  })

  it('are not changed by a rejected form, which keeps the input', async () => {
    const { visitor, operator } = await newVisitor()
    const { slug } = await newPlatform(operator, { name: 'Before', event_types: ['trust.updated'] })
    const input = {
      name: 'After',
      webhook_url: 'nonsense',
      events: 'some',
      event_types: [],
      admission: 'open',
    }
    const rejected = await visitor.send(at(slug, '/settings'), at(slug, '/settings'), input)
    expect(rejected.status).toBe(400)
    expect(problemOf(rejected.text, 'event_types')).toMatch(/at least one event type/)
    expect(rejected.text).toMatch(/<input type="checkbox" id="event-[^>]* autofocus>/)
    expect(rejected.text).toContain('value="nonsense"')
    expect(rejected.text).toContain('value="After"')
    expect(await platformOf(operator, slug)).toMatchObject({ name: 'Before', event_types: ['trust.updated'] })
  })

  it('describe each event type, and show which are sent', async () => {
    const { visitor, operator } = await newVisitor()
    const { slug } = await newPlatform(operator, { event_types: ['trust.updated'] })
    const { text } = await visitor.get(at(slug, '/settings'))
    const { body } = await api('GET', '/event-types')
    for (const { description } of body.data) expect(text).toContain(description.replace("'", '&#39;'))
    const checked = [...text.matchAll(/<input type="checkbox"[^>]*value="([^"]*)"[^>]* checked>/g)]
    expect(checked.map(([, value]) => value)).toEqual(['trust.updated'])
  })
})

describe('the webhook secret in the console', () => {
  it('is rotated and shown once, with the time left for the previous one', async () => {
    const now = new Date('2030-01-10T10:00:00Z')
    const { visitor, operator } = await newVisitor({ 'X-Test-Now': now.toISOString() })
    const { slug, webhook_secret: first } = await newPlatform(operator)
    const hiddenFields = await visitor.fieldsOf(at(slug, '/secret'), at(slug, '/secret'))
    const rotated = await visitor.post(at(slug, '/secret'), hiddenFields)
    expect(rotated.status).toBe(200)
    expect(rotated.headers.get('cache-control')).toContain('no-store')
    expect(secretIn(rotated.text)).toBeDefined()
    expect(secretIn(rotated.text)).not.toBe(first)
    // A request may be some milliseconds before the one before it, which rounds up to another minute.
    expect(rotated.text).toMatch(/2030-01-11 10:00 UTC<\/time> \(24 h [01] min left\)/)
    expect((await visitor.get(at(slug))).text).toMatch(/2030-01-11 10:00 UTC<\/time> \(24 h [01] min left\)/)
    const again = await visitor.post(at(slug, '/secret'), hiddenFields)
    expect(again).toMatchObject({ status: 409, title: 'Already shown · Agent Registry' })
    expect((await visitor.get(at(slug, '/secret'))).text).toContain(
      'Another rotation makes it invalid immediately',
    )
    const rows = (await auditOf(h, operator)).filter(({ action }) => action === 'platform.secret_rotated')
    expect(rows).toHaveLength(1)
    const [{ ended }] = await sql(
      `update platforms set previous_webhook_secret_until = '2030-01-10T09:59:59Z' where slug = $1 returning 1 as ended`,
      [slug],
    )
    expect(ended).toBe(1)
    expect((await visitor.get(at(slug, '/settings'))).text).toContain(
      'All webhooks are signed with one secret',
    )
  })

  it('is rotated once by a form that is sent 20 times in parallel, and no response is stored', async () => {
    const { visitor, operator } = await newVisitor()
    const { slug } = await newPlatform(operator)
    const hiddenFields = await visitor.fieldsOf(at(slug, '/secret'), at(slug, '/secret'))
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => visitor.post(at(slug, '/secret'), hiddenFields)),
    )
    const shown = sent.flatMap(({ text }) => secretIn(text) ?? [])
    expect(shown).toHaveLength(1)
    expect(sent.filter(({ status }) => status === 409)).toHaveLength(19)
    const rows = (await auditOf(h, operator)).filter(({ action }) => action === 'platform.secret_rotated')
    expect(rows).toHaveLength(1)
    expect(await sql(`select from idempotency_keys where answer ->> 'slug' = $1`, [slug])).toEqual([])
    const again = await visitor.fieldsOf(at(slug, '/secret'), at(slug, '/secret'))
    expect(secretIn((await visitor.post(at(slug, '/secret'), again)).text)).toBeDefined()
  })
})

describe('retiring a platform in the console', () => {
  it('requires its slug, and then retires it', async () => {
    const { visitor, operator } = await newVisitor()
    const { slug } = await newPlatform(operator)
    const path = at(slug, '/retire')
    const rejected = await visitor.send(path, path, { slug: 'something-else' })
    expect(rejected.status).toBe(400)
    expect(problemOf(rejected.text, 'slug')).toBe(`must be ${slug}`)
    expect(rejected.text).toContain('value="something-else"')
    expect((await platformOf(operator, slug)).status).toBe('active')
    expect(await visitor.send(path, path, { slug })).toMatchObject({ status: 303 })
    expect((await platformOf(operator, slug)).status).toBe('retired')
    const settings = await visitor.get(at(slug, '/settings'))
    expect(settings.text).toContain('This platform is retired')
    expect(settings.text).not.toContain('<textarea')
    const late = await visitor.fieldsOf(at(slug, '/secret'), at(slug, '/secret'))
    expect((await visitor.post(at(slug, '/secret'), late)).status).toBe(409)
  })
})

describe("another operator's platform", () => {
  it('returns 404, and forms for it are rejected', async () => {
    const { visitor, operator } = await newVisitor()
    const mine = await newPlatform(operator)
    const theirs = await newPlatform(await newOperator({ tier: 'pro' }), { name: 'Theirs' })
    for (const one of PLATFORM_PAGES) {
      const { status, text } = await visitor.get(at(theirs.slug, one))
      expect({ one, status, shows: text.includes('Theirs') }).toEqual({ one, status: 404, shows: false })
    }
    for (const one of ['/settings', '/secret', '/retire', '/recover']) {
      const hiddenFields = await visitor.fieldsOf(at(mine.slug, one), at(mine.slug, one))
      expect((await visitor.post(at(theirs.slug, one), hiddenFields)).status, one).toBe(403)
    }
    for (const odd of ['No%20slug', '%00', 'a'.repeat(60), '..%2f..']) {
      expect((await visitor.get(at(odd))).status, odd).toBe(404)
    }
  })
})
