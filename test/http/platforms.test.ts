import { describe, expect, it } from 'vitest'
import { type Body, type Call, expectError, freshSlug, type Operator, shared } from '../support/harness.ts'

const { api, sql, newOperator, newKey, newPlatform } = shared()
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const URL = 'https://hooks.example.com/in'
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

const create = (token: string, body: object) => api('POST', '/platforms', { token, body })
const look = (slug: string, call: Call = {}) => api('GET', `/platforms/${slug}`, call)
const change = ({ token }: Operator, slug: string, body: object) =>
  api('PATCH', `/platforms/${slug}`, { token, body })
const rotate = ({ token }: Operator, slug: string, now = new Date()) =>
  api('POST', `/platforms/${slug}/webhook-secret`, { token, now })

/** What the audit log tells of an operator, oldest first. */
const auditOf = (operator: Operator): Promise<Body[]> =>
  sql('select action, target from audit_log where operator_id = $1 order by created_at, action', [
    operator.id,
  ])

/** What ten failed deliveries leave behind. */
const disable = (slug: string) =>
  sql(
    `update platforms set webhook_status = 'disabled', failed_in_row = 10, failing_since = '2026-11-01T00:00:00Z'
     where slug = $1`,
    [slug],
  )

/** A platform as its operator sees it right after registration. */
const fresh = (created: Body) => {
  const { webhook_secret, ...shown } = created
  const unheard = { answered_at: null, unanswered_attempts: 0 }
  return { ...shown, ...unheard, failed_in_row: 0, failing_since: null, previous_secret_expires_at: null }
}

describe('POST /platforms', () => {
  it('registers a platform and shows its secret once [2.7a]', async () => {
    const operator = await newOperator()
    const slug = freshSlug()
    const body = {
      slug,
      name: 'Plätze',
      webhook_url: 'https://hooks.example.com/in?x=1',
      event_types: ['trust.updated'],
    }
    const answer = await create(operator.token, body)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      ...body,
      status: 'active',
      admission: 'open',
      webhook_status: 'enabled',
      webhook_secret: expect.stringMatching(SECRET),
      created_at: expect.stringMatching(/Z$/),
    })
    const [row] = await sql('select to_jsonb(p) as row from platforms p where slug = $1', [slug])
    expect(JSON.stringify(row)).not.toContain(answer.body.webhook_secret.slice(6))
    expect(await auditOf(operator)).toContainEqual({ action: 'platform.registered', target: slug })
  })

  it('needs no more than a slug and a name', async () => {
    const platform = await newPlatform(await newOperator())
    expect(platform).toMatchObject({ webhook_url: null, event_types: null })
    const other = await newPlatform(await newOperator(), { webhook_url: null, event_types: null })
    expect(other.webhook_secret).not.toBe(platform.webhook_secret)
  })

  it('keeps a slug for whoever came first', async () => {
    const platform = await newPlatform(await newOperator())
    const late = await newOperator()
    const answer = await create(late.token, { slug: platform.slug, name: 'Mine' })
    expectError(answer, 409, 'CONFLICT', RegExp(`slug: '${platform.slug}' is taken`))
    expect(await auditOf(late)).not.toContainEqual(expect.objectContaining({ action: 'platform.registered' }))
  })

  it('takes slugs of 2 and of 50 characters', async () => {
    const { token } = await newOperator()
    const long = freshSlug().padEnd(50, '-9')
    expect((await create(token, { slug: long, name: 'p' })).body).toMatchObject({ slug: long })
    const short = long.slice(2, 4)
    // Few enough that an earlier test may have taken it.
    expect([201, 409]).toContain((await create(token, { slug: short, name: 'p' })).status)
    expect((await look(short)).body).toMatchObject({ slug: short })
  })

  it.each([
    'a',
    'a'.repeat(51),
    '-ab',
    'ab-',
    'a--b',
    '--',
    'аb',
    'With-Capitals',
    'under_score',
    'sp ace',
    'ümlaut',
    'a.b.c',
    '',
    'new\nline',
  ])('refuses the slug %j', async (slug) => {
    const { token } = await newOperator()
    expectError(await create(token, { slug, name: 'p' }), 400, 'VALIDATION_ERROR', /slug: /)
  })

  it.each(['api', 'www', 'agents', 'sign-in', 'v1'])('keeps the slug %s for the service', async (slug) => {
    const { token } = await newOperator()
    expectError(await create(token, { slug, name: 'p' }), 400, 'VALIDATION_ERROR', /^slug: '.*' is reserved$/)
    expectError(await look(slug), 404, 'NOT_FOUND')
  })

  it.each([
    'https://example.com',
    'https://example.com:443/',
    'https://example.com:8443/hook',
    'https://sub.example.co.uk/hook?token=1#part',
    'https://xn--mnchen-3ya.example/hook',
  ])('takes the webhook URL %s [2.7b]', async (webhook_url) => {
    expect((await newPlatform(await newOperator(), { webhook_url })).webhook_url).toBe(webhook_url)
  })

  it.each([
    'https://192.0.2.1/',
    'https://0x7f.1/',
    'https://①②⑦.0.0.1/',
    'http://0.0.0.0:9/',
    'http://[::1]:9/',
    'http://127.0.0.2:9/',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('refuses the webhook URL %s, beside those of hostile-urls.test.ts', async (webhook_url) => {
    const { token } = await newOperator()
    const answer = await create(token, { slug: freshSlug(), name: 'p', webhook_url })
    expectError(answer, 400, 'VALIDATION_ERROR', /webhook_url: /)
  })

  it('takes each event type once, and none that it does not know', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, {
      event_types: ['incident.created', 'incident.created', 'agent.registered'],
    })
    expect(platform.event_types.sort()).toEqual(['agent.registered', 'incident.created'])
    for (const event_types of [[], ['agent.exploded'], 'trust.updated', [null]]) {
      const answer = await create(operator.token, { slug: freshSlug(), name: 'p', event_types })
      expectError(answer, 400, 'VALIDATION_ERROR', /event_types/)
    }
  })
})

describe('GET /platforms', () => {
  const list = ({ token }: Operator, query = '') => api('GET', `/platforms${query}`, { token })

  it('lists the own platforms, newest first, with the state of their webhooks and without secrets', async () => {
    const [operator, other] = await Promise.all([newOperator(), newOperator()])
    const platforms = []
    for (const fields of [{}, { webhook_url: URL }, { event_types: ['trust.updated'] }]) {
      platforms.unshift(await newPlatform(operator, fields))
    }
    await newPlatform(other)
    const { status, body } = await list(operator)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: platforms.map(fresh),
      pagination: { page: 1, per_page: 20, total: 3, total_pages: 1 },
    })
  })

  it('pages through them, and is empty for whoever has none', async () => {
    const operator = await newOperator({ tier: 'pro' })
    const slugs = []
    for (let n = 0; n < 5; n++) slugs.unshift((await newPlatform(operator)).slug)
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(operator, `?page=${page}&per_page=2`)))
    expect(pages.map(({ body }) => body.data.map(({ slug }: Body) => slug))).toEqual([
      slugs.slice(0, 2),
      slugs.slice(2, 4),
      slugs.slice(4),
      [],
    ])
    for (const { body } of pages) expect(body.pagination).toMatchObject({ total: 5, total_pages: 3 })
    expect((await list(await newOperator())).body).toMatchObject({ data: [], pagination: { total: 0 } })
  })
})

describe('GET /platforms/{slug}', () => {
  it('shows everybody the name, and its operator all but the secret', async () => {
    const [operator, other] = await Promise.all([newOperator(), newOperator()])
    const platform = await newPlatform(operator, { webhook_url: URL, event_types: ['incident.created'] })
    const { slug, name, status, admission, created_at } = platform
    const key = await newKey(operator, ['read', 'write'])
    const open = await look(slug)
    expect(open).toMatchObject({ status: 200, body: { slug, name, status, admission, created_at } })
    expect(Object.keys(open.body).sort()).toEqual(['admission', 'created_at', 'name', 'slug', 'status'])
    expect(open.headers.get('cache-control')).toBe('public, max-age=10')
    expect(open.headers.get('vary')).toMatch(/Authorization/)
    expect(open.headers.get('access-control-allow-origin')).toBe('*')
    for (const token of [other.token, key.key]) {
      const answer = await look(slug, { token })
      expect(answer.body).toEqual(open.body)
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
    }
    const own = await look(slug, { token: operator.token })
    expect(own.body).toEqual(fresh(platform))
    expect(own.headers.get('cache-control')).toBe('private, no-store')
  })

  it('answers 304 to whoever has just this, until the name changes', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator)
    const etag = (await look(slug)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"/)
    const again = await look(slug, { headers: { 'If-None-Match': etag } })
    expect(again).toMatchObject({ status: 304, text: '' })
    await change(operator, slug, { name: 'Another' })
    const changed = await look(slug, { headers: { 'If-None-Match': etag } })
    expect(changed).toMatchObject({ status: 200, body: { name: 'Another' } })
  })

  it('finds nothing under a slug that nobody has taken', async () => {
    const { token } = await newOperator()
    for (const call of [{}, { token }]) {
      expectError(await look('no-such-platform', call), 404, 'NOT_FOUND', /'no-such-platform'/)
    }
  })

  it.each([
    'With-Capitals',
    'a',
    'a'.repeat(51),
    '-ab',
    'ab-',
    'a--b',
    'under_score',
    '%C3%BCmlaut',
    'a%2Fb',
    'a.b.c',
    'abc%0A',
  ])('refuses %s, which is no slug', async (slug) => {
    expectError(await look(slug), 400, 'VALIDATION_ERROR', /^slug: must be 2 to 50/)
  })

  it('reads a slug that is percent-encoded for no reason', async () => {
    const { slug } = await newPlatform(await newOperator())
    expect((await look(slug.replaceAll('-', '%2d'))).body.slug).toBe(slug)
  })
})

describe('PATCH /platforms/{slug}', () => {
  it('changes what is given, leaves the rest, and answers the whole', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL, event_types: ['trust.updated'] })
    let expected = fresh(platform)
    for (const changes of [
      { name: 'Neuer Name' },
      { webhook_url: 'https://other.example.com:8443/hook' },
      { event_types: ['agent.updated', 'incident.created'] },
      { event_types: null },
      { webhook_url: null, name: 'Last', event_types: ['trust.updated'] },
    ]) {
      const answer = await change(operator, platform.slug, changes)
      expected = { ...expected, ...changes }
      expect(answer).toMatchObject({ status: 200, body: expected })
      expect((await look(platform.slug, { token: operator.token })).body).toEqual(expected)
    }
    const updates = (await auditOf(operator)).filter(({ action }) => action === 'platform.updated')
    expect(updates).toEqual(Array(5).fill({ action: 'platform.updated', target: platform.slug }))
  })

  it('writes nothing into the audit log when nothing changes', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator, {
      name: 'Same',
      webhook_url: URL,
      event_types: ['incident.created', 'agent.updated'],
    })
    const before = await auditOf(operator)
    for (const body of [
      { name: 'Same' },
      { webhook_url: URL },
      { event_types: ['agent.updated', 'incident.created', 'agent.updated'] },
      { webhook_status: 'enabled' },
    ]) {
      expect((await change(operator, slug, body)).status).toBe(200)
    }
    expect(await auditOf(operator)).toEqual(before)
  })

  it('enables a disabled webhook, which has not failed then [webhook-5]', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL })
    await disable(platform.slug)
    const disabled = await look(platform.slug, { token: operator.token })
    expect(disabled.body).toEqual({
      ...fresh(platform),
      webhook_status: 'disabled',
      failed_in_row: 10,
      failing_since: '2026-11-01T00:00:00.000Z',
    })
    expect((await change(operator, platform.slug, { name: 'Renamed' })).body).toEqual({
      ...disabled.body,
      name: 'Renamed',
    })
    const both = { name: 'Back', webhook_status: 'enabled' }
    expect((await change(operator, platform.slug, both)).body).toEqual({ ...fresh(platform), name: 'Back' })
    expect((await auditOf(operator)).slice(-2)).toEqual([
      { action: 'platform.enabled', target: platform.slug },
      { action: 'platform.updated', target: platform.slug },
    ])
  })

  it('counts failures anew for another URL, and does not enable the webhook by that [webhook-6]', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator, { webhook_url: URL })
    await disable(slug)
    expect((await change(operator, slug, { webhook_url: URL })).body).toMatchObject({ failed_in_row: 10 })
    expect((await change(operator, slug, { webhook_url: `${URL}/2` })).body).toMatchObject({
      webhook_status: 'disabled',
      failed_in_row: 0,
      failing_since: null,
    })
  })

  it.each([
    ['nothing', {}, /^body: name, webhook_url, event_types, admission or webhook_status must be given/],
    ['only what nobody knows', { slug: 'another' }, /must be given/],
    ['a blank name', { name: ' ' }, /^name: must not be empty/],
    ['no name', { name: null }, /^name: /],
    ['an http URL', { webhook_url: 'http://example.com/' }, /^webhook_url: must be an https URL/],
    ['an empty URL', { webhook_url: '' }, /^webhook_url: /],
    ['an address', { webhook_url: 'https://[::1]/' }, /^webhook_url: must name a host/],
    ['no type', { event_types: [] }, /^event_types: must name at least one/],
    ['an unknown type', { event_types: ['agent.exploded'] }, /^event_types.*: must be one of/],
    ['to disable', { webhook_status: 'disabled' }, /^webhook_status: may only be set to 'enabled'/],
  ])('refuses %s, and changes nothing', async (_, body, message) => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL })
    const answer = await change(operator, platform.slug, { ...body })
    expectError(answer, 400, 'VALIDATION_ERROR', message)
    expect((await look(platform.slug, { token: operator.token })).body).toEqual(fresh(platform))
  })

  it('does not reveal whether a platform exists that is not yours', async () => {
    const [mine, theirs] = await Promise.all([newOperator(), newOperator()])
    const platform = await newPlatform(theirs)
    for (const slug of [platform.slug, 'no-such-platform']) {
      expectError(
        await change(mine, slug, { name: 'x' }),
        404,
        'NOT_FOUND',
        RegExp(`you have no platform '${slug}'`),
      )
      expectError(await rotate(mine, slug), 404, 'NOT_FOUND', RegExp(`you have no platform '${slug}'`))
    }
    expect((await look(platform.slug, { token: theirs.token })).body).toEqual(fresh(platform))
  })
})

describe('POST /platforms/{slug}/webhook-secret', () => {
  it('gives a new secret, and says until when the previous one signs', async () => {
    const operator = await newOperator()
    const { slug, webhook_secret } = await newPlatform(operator)
    const [before] = await sql('select * from platforms where slug = $1', [slug])
    const now = new Date()
    const { status, body } = await rotate(operator, slug, now)
    expect(status).toBe(200)
    expect(body).toEqual({
      slug,
      webhook_secret: expect.stringMatching(SECRET),
      previous_secret_expires_at: expect.stringMatching(/Z$/),
    })
    const { previous_secret_expires_at } = body
    const until = Date.parse(previous_secret_expires_at)
    expect(Math.abs(until - now.getTime() - DAY_MS)).toBeLessThan(5_000)
    expect(body.webhook_secret).not.toBe(webhook_secret)
    const [after] = await sql('select * from platforms where slug = $1', [slug])
    expect(after.previous_webhook_secret).toBe(before.webhook_secret)
    expect(JSON.stringify(after)).not.toContain(body.webhook_secret.slice(6))
    expect(await auditOf(operator)).toContainEqual({ action: 'platform.secret_rotated', target: slug })

    const seenAt = async (time: number) =>
      (await look(slug, { token: operator.token, now: new Date(time) })).body
    expect(await seenAt(until - 60_000)).toMatchObject({ previous_secret_expires_at })
    expect(await seenAt(until)).toMatchObject({ previous_secret_expires_at: null })
  })

  it('lets the oldest secret go at a second rotation', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator)
    const now = new Date()
    const first = await rotate(operator, slug, now)
    const [between] = await sql('select * from platforms where slug = $1', [slug])
    const second = await rotate(operator, slug, new Date(now.getTime() + HOUR_MS))
    const [one, other] = [first, second].map(({ body }) => Date.parse(body.previous_secret_expires_at))
    expect(Math.abs(Number(other) - Number(one) - HOUR_MS)).toBeLessThan(5_000)
    const [after] = await sql('select * from platforms where slug = $1', [slug])
    expect(after.previous_webhook_secret).toBe(between.webhook_secret)
    const page = await api('GET', '/platforms', { token: operator.token })
    expect(page.text).not.toContain('whsec_')
    expect(page.body.data).toMatchObject([{ slug, previous_secret_expires_at: expect.stringMatching(/Z$/) }])
  })
})
