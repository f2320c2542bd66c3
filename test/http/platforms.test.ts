import { describe, expect, it } from 'vitest'
import { expectError, freshSlug, shared } from '../harness.ts'

const { api, sql, newOperator, newPlatform } = shared()

const create = (token: string, body: object) => api('POST', '/platforms', { token, body })

describe('POST /platforms', () => {
  it('registers a platform and shows its secret once', async () => {
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
      webhook_status: 'enabled',
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.stringMatching(/Z$/),
    })
    const [row] = await sql('select to_jsonb(p) as row from platforms p where slug = $1', [slug])
    expect(JSON.stringify(row)).not.toContain(answer.body.webhook_secret.slice(6))
  })

  it('needs no more than a slug and a name', async () => {
    const platform = await newPlatform(await newOperator())
    expect(platform).toMatchObject({ webhook_url: null, event_types: null })
    const other = await newPlatform(await newOperator(), { webhook_url: null, event_types: null })
    expect(other.webhook_secret).not.toBe(platform.webhook_secret)
  })

  it('keeps a slug for whoever came first', async () => {
    const platform = await newPlatform(await newOperator())
    const { token } = await newOperator()
    const answer = await create(token, { slug: platform.slug, name: 'Mine' })
    expectError(answer, 409, 'CONFLICT', RegExp(`slug: '${platform.slug}' is taken`))
  })

  it.each([
    'ab',
    'a'.repeat(65),
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

  it.each([
    'https://example.com',
    'https://example.com:443/',
    'https://example.com:8443/hook',
    'https://sub.example.co.uk/hook?token=1#part',
    'https://xn--mnchen-3ya.example/hook',
  ])('takes the webhook URL %s', async (webhook_url) => {
    expect((await newPlatform(await newOperator(), { webhook_url })).webhook_url).toBe(webhook_url)
  })

  it.each([
    'http://example.com/hook',
    'ftp://example.com/hook',
    'javascript:alert(1)',
    'example.com/hook',
    'https://',
    'https://user:secret@example.com/',
    'https://user@example.com/',
    'https://example.com:80/',
    'https://example.com:22/',
    'https://192.0.2.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'https://intranet/',
    'https://api.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://example.com./',
    'https://EXAMPLE.INTERNAL/',
    'https://ｌｏｃａｌｈｏｓｔ/',
    'https://①②⑦.0.0.1/',
    'http://0.0.0.0:9/',
    'http://[::1]:9/',
    'http://127.0.0.2:9/',
    'http://169.254.169.254/',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('refuses the webhook URL %s', async (webhook_url) => {
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
