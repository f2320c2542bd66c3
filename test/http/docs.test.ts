import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const ASSETS = /(?:href|src)="(\/docs\/[^"]+)"/g

// The pages stand beside the Worker: `wrangler dev` serves them, as the platform does.
describe('the reference page', () => {
  let site: Awaited<ReturnType<typeof h.variant>>
  beforeAll(async () => {
    site = await h.variant({}, startWorker)
  })
  afterAll(() => site.stop())

  it('stands at /docs, with all that it loads on this host', async () => {
    const page = await site.api('GET', '//docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).not.toMatch(/https?:\/\//)
    const loaded = [...page.text.matchAll(ASSETS)].map(([, path]) => path)
    expect(loaded).toHaveLength(4)
    for (const path of loaded) expect((await site.api('GET', `/${path}`)).status, path).toBe(200)
  })

  it('may run no script of another host, and none inline', async () => {
    const policy = (await site.api('GET', '//docs')).headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toContain('unsafe')
  })

  it('is where the root leads', async () => {
    const root = await site.api('GET', '//')
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs'])
  })
})

describe('the OpenAPI document', () => {
  it('names this host, may be read from any page, and is not sent twice', async () => {
    const document = await h.api('GET', '//api/v1/openapi.json')
    expect(document.body.servers).toEqual([{ url: `${h.base_url}/api/v1` }])
    expect(document.headers.get('access-control-allow-origin')).toBe('*')
    const headers = { 'If-None-Match': document.headers.get('etag') ?? '' }
    const again = await h.api('GET', '//api/v1/openapi.json', { headers })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})
