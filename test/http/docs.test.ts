import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { ERROR_TEXTS } from '../../scripts/document/error-texts.ts'
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts'
import { expectBound, expectPage, YEAR_SECONDS } from '../support/bound.ts'
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
    expect(page.text).not.toMatch(/https?:\/\//)
    expectPage(page, '/docs')
    const loaded = [...page.text.matchAll(ASSETS)].map(([, path]) => path ?? '')
    expect(loaded).toEqual(expect.arrayContaining(['/docs/errors', '/docs/docs.js']))
    for (const path of loaded) {
      const answer = await site.api('GET', `/${path}`, { headers: { Accept: 'text/html' } })
      expect(answer.status, path).toBe(200)
      expectBound(answer, path)
      expect(answer.headers.get('strict-transport-security')).toBe(`max-age=${YEAR_SECONDS}`)
    }
  })

  it('may run no script of another host, and none inline', async () => {
    const policy = (await site.api('GET', '//docs')).headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toContain('unsafe')
  })

  it('leads to the errors, where each code has its place and its whole text, without a script', async () => {
    const page = await site.api('GET', '//docs/errors')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).not.toMatch(/<script|<style|style=|https?:\/\//)
    const sections = [...page.text.matchAll(/<section id="(\w+)"[\s\S]*?<\/section>/g)]
    expect(sections.map(([, code]) => code)).toEqual(Object.keys(ERROR_STATUS))
    for (const [section, code = ''] of sections) {
      const { means, advice } = ERROR_TEXTS[code as ErrorCode]
      for (const text of [means, ...advice]) expect(section).toContain(text)
      const example = JSON.parse(/<code>(\{[\s\S]*\})<\/code>/.exec(section)?.[1] ?? '')
      expect(example.error).toMatchObject({ code, status: ERROR_STATUS[code as ErrorCode] })
    }
  })

  it('is where the Link of an error leads, to the place of its code', async () => {
    const error = await site.api('GET', '/agents/REG-1999-0001-0042-4')
    const [, href = '', code = ''] = /^<(.+)#(\w+)>; rel="help"$/.exec(error.headers.get('link') ?? '') ?? []
    expect(code).toBe(error.body.error.code)
    const { origin, pathname } = new URL(href)
    expect(origin).toBe(h.base_url)
    expect((await site.api('GET', `/${pathname}`)).text).toContain(`<section id="${code}"`)
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
