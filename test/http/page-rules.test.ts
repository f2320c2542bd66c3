import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { attributeOf, expectPage, pageReader } from '../support/pages.ts'

const h = shared()
const read = pageReader(h)

const { operator } = await h.newReporter()
const { slug } = await h.newPlatform(operator)
const PAGES: Record<string, string> = {
  '/': '/',
  '/agents': '/agents?q=no-such-agent',
  '/operators/{id}': `/operators/${operator.id}`,
  '/platforms/{slug}': `/platforms/${slug}`,
}

describe.each(Object.entries(PAGES))('%s', (_, path) => {
  it('can be cached for a minute, and is revalidated by its ETag', async () => {
    const page = await read(path)
    expectPage(page, 200)
    expect(page.headers.get('cache-control')).toBe('public, max-age=60')
    expect(page.headers.get('set-cookie')).toBeNull()
    const etag = page.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    // Relative times may have changed meanwhile, and other tests register agents.
    await expect
      .poll(async () => {
        const { headers } = await read(path)
        return (await read(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })).status
      })
      .toBe(304)
  })

  it('has metadata for previews, loads only its own files, and is a public read, even with a credential', async () => {
    const headers = { Authorization: `Bearer ${operator.token}`, Cookie: 'reg_console=x' }
    const page = await read(path, { headers })
    expectPage(page, 200)
    expect(page.headers.get('x-ratelimit-limit')).toBe('120')
    expect(page.headers.get('x-ratelimit-remaining')).toBe('119')
    const description = attributeOf(page, 'name="description"', 'content')
    expect(description).toMatch(/\w+\.$/)
    expect(attributeOf(page, 'og:description', 'content')).toBe(description)
    expect(attributeOf(page, 'og:title', 'content')).toMatch(/\S/)
    const canonical = `${h.base_url}${path.split('?')[0]}`
    expect(attributeOf(page, 'rel="canonical"', 'href')).toBe(canonical)
    expect(attributeOf(page, 'og:url', 'content')).toBe(canonical)
    const json = await fetch(attributeOf(page, 'type="application/json"', 'href') ?? '')
    expect(json.status).toBe(200)
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
    const loaded = [...page.html.matchAll(/<(?:link rel="(?:icon|stylesheet)" href|script src)="([^"]+)"/g)]
    expect(loaded.map(([, address]) => address)).toEqual([
      '/favicon.ico',
      '/ui/favicon.svg',
      '/ui/app.css',
      '/ui/app.js',
    ])
    expect(gzipSync(page.html).byteLength).toBeLessThan(12 * 1024)
  })
})

describe('static files', () => {
  it.each([
    ['/robots.txt', 'text/plain', /^User-agent: \*\nDisallow: \/api\/\n/],
    ['/favicon.ico', 'image/', /PNG/],
    ['/ui/favicon.svg', 'image/svg+xml', /<svg/],
    ['/ui/apple-touch-icon.png', 'image/png', /PNG/],
    ['/ui/previews/critical.png', 'image/png', /PNG/],
    ['/ui/app.css', 'text/css', /light-dark/],
    ['/ui/app.js', 'text/javascript', /data-copy/],
  ])('%s is served as a file', async (path, type, content) => {
    const file = await read(path)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toContain(type)
    expect(file.html).toMatch(content)
    expect(file.headers.get('x-ratelimit-limit')).toBeNull() // not served by the Worker
  })
})

describe('security.txt', () => {
  it('returns 404 with a message if no contact is configured', async () => {
    const { status, html } = await read('/.well-known/security.txt')
    expect(status).toBe(404)
    expect(JSON.parse(html).error.message).toMatch(/no security contact is configured \(SECURITY_CONTACT\)/)
  })

  it('names the configured contacts and the expiry', async () => {
    const SECURITY_CONTACT = 'mailto:security@registry.example,https://registry.example/report'
    const worker = await h.variant({ SECURITY_CONTACT })
    try {
      const now = '2026-11-22T10:00:00Z'
      const file = await read('/.well-known/security.txt', {
        base: worker.url,
        headers: { 'X-Test-Now': now },
      })
      expect(file.status).toBe(200)
      expect(file.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i)
      expect(file.html.split('\n')).toEqual([
        'Contact: mailto:security@registry.example',
        'Contact: https://registry.example/report',
        'Expires: 2027-02-20T00:00:00.000Z',
        `Canonical: ${h.base_url}/.well-known/security.txt`,
        'Preferred-Languages: en',
        '',
      ])
    } finally {
      await worker.stop()
    }
  })
})
