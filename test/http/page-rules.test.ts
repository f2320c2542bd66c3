import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { attributeOf, pageReader } from '../support/pages.ts'

const h = shared()
const read = pageReader(h)

const HOSTILE = `</title><script>alert(1)</script> "' onload=alert(2) &amp; ]]>`
const { operator, key, reg } = await h.newReporter()
const { slug } = await h.newPlatform(operator, { name: HOSTILE })
const PAGES = [
  '/',
  '/agents?q=no-such-agent',
  `/agents/${reg}`,
  `/operators/${operator.id}`,
  `/platforms/${slug}`,
]

it.each(PAGES)(
  'a page is a public read, with metadata for previews, and is revalidated: %s',
  async (path) => {
    const headers = { Authorization: `Bearer ${operator.token}`, Cookie: 'reg_console=x' }
    const page = await read(path, { headers })
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'public, max-age=60',
      'x-ratelimit-limit': '120',
      'x-ratelimit-remaining': '119',
    })
    expect(page.headers.get('set-cookie')).toBeNull()
    expect(page.headers.get('etag')).toMatch(/^W\/"[0-9a-f]{32}"$/)
    // Relative times may have changed meanwhile, and other tests register agents.
    await expect
      .poll(async () => {
        const etag = (await read(path)).headers.get('etag') ?? ''
        return (await read(path, { headers: { 'If-None-Match': etag } })).status
      })
      .toBe(304)
    const description = attributeOf(page, 'name="description"', 'content')
    expect(description).toMatch(/\S/)
    expect(attributeOf(page, 'og:description', 'content')).toMatch(/\S/)
    expect(attributeOf(page, 'og:title', 'content')).toMatch(/\S/)
    const canonical = `${h.base_url}${path.split('?')[0]}`
    expect(attributeOf(page, 'rel="canonical"', 'href')).toBe(canonical)
    expect(attributeOf(page, 'og:url', 'content')).toBe(canonical)
    const json = await fetch(attributeOf(page, 'type="application/json"', 'href') ?? '')
    expect(json.status).toBe(200)
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
  },
)

it('pages escape hostile texts', async () => {
  const texts = { name: HOSTILE, description: HOSTILE, specializations: [HOSTILE.slice(0, 50)] }
  const { token } = operator
  await h.api('PATCH', `/agents/${reg}`, { token, body: { ...texts, platform_slug: slug } })
  await h.api('PATCH', '/operators/me', { token, body: { name: HOSTILE } })
  await h.report(key, reg, { event_type: 'incident', metadata: { title: HOSTILE, description: HOSTILE } })
  for (const [path, times] of [
    [`/agents/${reg}`, 4], // the names of agent, operator and platform, the description, the incident, less what is cut
    [`/agents/${reg}/log`, 2],
    [`/operators/${operator.id}`, 2],
    [`/platforms/${slug}`, 2],
    [`/agents?operator=${operator.id}&q=${encodeURIComponent(HOSTILE)}`, 1],
  ] as const) {
    const page = await read(path)
    expect(page.status).toBe(200)
    expect(page.html).not.toContain('<script>alert')
    expect([path, page.text.split(HOSTILE).length > times]).toEqual([path, true])
  }
})

it('HEAD returns the status and headers of GET, without a body', async () => {
  for (const path of ['/', '/agents', '/status', '/no/such/page', '/agents?class=Z']) {
    const [head, get] = [await read(path, { method: 'HEAD' }), await read(path)]
    expect([path, head.status, head.html]).toEqual([path, get.status, ''])
    for (const name of ['content-type', 'cache-control', 'content-security-policy'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
  }
})

it.each([
  ['/robots.txt', 'text/plain', /^User-agent: \*\nDisallow: \/api\/\n/],
  ['/favicon.ico', 'image/', /PNG/],
  ['/ui/previews/critical.png', 'image/png', /PNG/],
  ['/ui/app.css', 'text/css', /light-dark/],
  ['/ui/app.js', 'text/javascript', /data-copy/],
])('%s is served as a file', async (path, type, content) => {
  const { status, headers, html } = await read(path)
  expect([status, headers.get('content-type'), html]).toEqual([
    200,
    expect.stringContaining(type),
    expect.stringMatching(content),
  ])
  expect(headers.get('x-ratelimit-limit')).toBeNull() // not served by the Worker
})

it('security.txt names the configured contacts and the expiry, and is 404 without a contact', async () => {
  const { status, html } = await read('/.well-known/security.txt')
  expect([status, JSON.parse(html).error.message]).toEqual([
    404,
    expect.stringMatching(/no security contact is configured \(SECURITY_CONTACT\)/),
  ])
  const SECURITY_CONTACT = 'mailto:security@registry.example,https://registry.example/report'
  await using worker = await h.variant({ SECURITY_CONTACT })
  const file = await read('/.well-known/security.txt', {
    base: worker.url,
    headers: { 'X-Test-Now': '2026-11-22T10:00:00Z' },
  })
  expect(file.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i)
  expect(file.html.split('\n')).toEqual([
    'Contact: mailto:security@registry.example',
    'Contact: https://registry.example/report',
    'Expires: 2027-02-20T00:00:00.000Z',
    `Canonical: ${h.base_url}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ])
})
