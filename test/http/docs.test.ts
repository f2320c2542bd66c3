import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { ERROR_TEXTS } from '../../scripts/document/error-texts.ts'
import { GUIDES } from '../../scripts/site/guides.ts'
import { BASE_URL_PLACEHOLDER, HOST_PLACEHOLDER } from '../../src/api/assets.ts'
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts'
import { expectBound, expectPage, YEAR_SECONDS } from '../support/bound.ts'
import { findChromium, openPage, startChromium, type Watched } from '../support/chromium.ts'
import { unknownReg } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { untilVerified } from '../support/logged.ts'
import { files, hrefsOf, pages, textIn } from '../support/site.ts'

const h = shared()
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
const OF_THE_LOG = /src="(\/ui\/[^"]+)"/g
const IMPORTS = /^(?:import|export|\}) [^'"]*from '([^']+)'/gm

/** The text of a file as it is served. */
const served = (text: string) =>
  text.replaceAll(BASE_URL_PLACEHOLDER, h.base_url).replaceAll(HOST_PLACEHOLDER, new URL(h.base_url).host)

describe('the documentation', () => {
  it('serves each page with the common security policy, cacheable for a minute', async () => {
    for (const { path, html } of pages) {
      const page = await h.api('GET', `/${path}`)
      const isAsMade = path === '/docs/search' || page.text === served(html)
      expect([page.status, isAsMade], path).toEqual([200, true])
      expect(page.headers.get('content-type'), path).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy'), path).toBe(POLICY)
      expect(page.headers.get('cache-control'), path).toBe('public, max-age=60')
      expectBound(page, path)
    }
  })

  it('has no broken links to other pages of the registry', async () => {
    const main = (html: string) => html.slice(html.indexOf('<main'), html.indexOf('</main>'))
    const linked = pages.flatMap(({ path, html }) =>
      hrefsOf(main(html)).map((href) => new URL(href, h.base_url + path)),
    )
    const own = linked.filter(({ origin }) => origin === h.base_url).map(({ pathname }) => pathname)
    for (const path of new Set(own)) expect((await h.api('GET', `/${path}`)).status, path).toBe(200)
  })

  it('serves each guide as Markdown', async () => {
    for (const [name, text] of Object.entries(files).filter(([name]) => name.endsWith('.md'))) {
      const file = await h.api('GET', `//${name}`)
      expect([file.status, file.text === served(text)], name).toEqual([200, true])
      expect(file.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    }
  })

  it('explains every error code at the URL in the Link header of an error', async () => {
    const error = await h.api('GET', '/agents/REG-1999-0001-0042-4')
    const [, href = '', code = ''] = /^<(.+)#(\w+)>; rel="help"$/.exec(error.headers.get('link') ?? '') ?? []
    expect(code).toBe(error.body.error.code)
    const { origin, pathname } = new URL(href)
    expect(origin).toBe(new URL(h.base_url).origin)
    const page = await h.api('GET', `/${pathname}`)
    const sections = [...page.text.matchAll(/<section id="(\w+)"[\s\S]*?<\/section>/g)]
    expect(sections.map(([, name]) => name)).toEqual(Object.keys(ERROR_STATUS).sort())
    for (const [section, name = ''] of sections) {
      const { when, advice } = ERROR_TEXTS[name as ErrorCode]
      for (const text of [when, ...advice]) expect(textIn(section)).toContain(text)
      const example = JSON.parse(/<code>(\{[\s\S]*\})<\/code>/.exec(textIn(section, 'code'))?.[1] ?? '')
      expect(example.error).toMatchObject({ code: name, status: ERROR_STATUS[name as ErrorCode] })
    }
  })

  it('is searched without a script', async () => {
    const page = await h.api('GET', '//docs/search?q=domain%20%3Cverification')
    expect(page.text).toContain('value="domain &lt;verification"')
    expect(textIn(page.text)).toContain('Nothing found for “domain <verification”')
    const { text } = await h.api('GET', '//docs/search?q=domain+verification')
    const [first = ''] = hrefsOf(text.slice(text.indexOf('<ol class="list">')))
    expect(first).toBe('/docs/api#domain-verification')
    expect((await h.api('GET', '//docs/search')).text).toContain('Enter a word')
  })

  it('is listed for language models at /llms.txt, and for search engines, with URLs of this registry', async () => {
    const list = await h.api('GET', '//llms.txt')
    expect([list.status, list.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expectBound(list, '/llms.txt')
    const linked = [...list.text.matchAll(/\]\((.+?)\)/g)].map(([, href = '']) => new URL(href))
    expect(linked.length).toBeGreaterThan(GUIDES.length)
    for (const { origin, pathname } of linked) {
      expect(origin).toBe(new URL(h.base_url).origin)
      expect((await h.api('GET', `/${pathname}`)).status, pathname).toBe(200)
    }
    const again = await h.api('GET', '//llms.txt', {
      headers: { 'If-None-Match': list.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
    const map = await h.api('GET', '//sitemap.xml')
    expect([map.status, map.headers.get('content-type')]).toEqual([200, 'application/xml'])
    expect(map.text).toContain(`<loc>${h.base_url}/docs</loc>`)
  })
})

describe('the page of the transparency log', () => {
  it('is served at the URL in the first leaf of the log', async () => {
    await h.cron() // the first run starts the log
    const { text } = await h.api('GET', '//log/tile/entries/000.p/1')
    const { spec } = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '')
    expect(new URL(spec).pathname).toBe('/transparency')
    const page = await h.api('GET', '//transparency')
    expect(page.status).toBe(200)
    expectPage(page, '/transparency')
    expect(page.text).not.toMatch(/<script>|<style|style=|\son\w+=/)
    expect(page.text).toMatch(/<noscript>.*does not run/s)
  })

  it('loads all its modules from this host, as JavaScript', async () => {
    const { text } = await h.api('GET', '//transparency')
    const waiting = [...text.matchAll(OF_THE_LOG)].map(([, path = '']) => path)
    const seen = new Set<string>()
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      const file = await h.api('GET', `/${path}`)
      expect([file.status, path.endsWith('.ts')], path).toEqual([200, false])
      for (const [, to = ''] of file.text.matchAll(IMPORTS)) {
        waiting.push(new URL(to, `https://x.example${path}`).pathname)
      }
    }
    expect(seen).toContain('/ui/verify.js')
  })
})

it('static files have the headers of `_headers`, and pages are only served by the Worker', async () => {
  await using site = await h.variant({}, startWorker)
  for (const path of ['/ui/docs.css', '/ui/verify.js', '/favicon.ico']) {
    const file = await site.api('GET', `/${path}`)
    expect(file.status).toBe(200)
    expect(file.headers.get('strict-transport-security')).toBe(`max-age=${YEAR_SECONDS}`)
    expectBound(file, path)
  }
  // The files of pages have placeholders, which only the Worker replaces.
  for (const path of ['/docs.html', '/docs/quickstart.html', '/transparency.html'])
    expect((await site.api('GET', `/${path}`)).status, path).toBe(404)
})

describe.skipIf(!findChromium())('the transparency log page in Chromium, if installed', () => {
  let browser: Browser
  let watched: Watched
  beforeAll(async () => {
    browser = await startChromium()
    watched = await openPage(browser, [new URL(h.base_url).origin])
  })
  afterAll(() => browser?.close())

  const expectText = (words: string | RegExp, element = 'main') =>
    expect.poll(() => watched.page.innerText(element)).toMatch(words)

  it('verifies an agent by its number, and shows the results', async () => {
    const { reg, key } = await h.newReporter()
    await h.report(key, reg, { metadata: { response_ms: 900 } })
    await h.report(key, reg, { event_type: 'incident', severity: 'error', metadata: { title: 'Down' } })
    let tries = 0
    const verified = async () => {
      await h.cron() // which logs nothing while the cron of another test does
      await watched.page.goto(`${h.base_url}/transparency?${++tries}#${reg}`)
      await expectText(`, ${reg}: everything is correct`)
      return watched.page.innerText('main')
    }
    await expect.poll(verified).toContain('Events: 2 of 2 events opened')
    const text = await watched.page.innerText('main')
    expect(text).toContain('Incidents: 1 incident')
    expect(text).toContain('Profile: revision 1')
    expect(text).toContain('taken from the registry itself')
    expect(text).toContain(`--vkey '${(await h.api('GET', '//log/info.json')).body.vkeys[0]}'`)
    const proof = await watched.page.getByRole('link', { name: 'Download proof' }).getAttribute('href')
    expect((await h.api('GET', `/${proof}`)).text).toMatch(/^c2sp\.org\/tlog-proof@v1\n/)
    expect(watched.complaints).toEqual([])
  })

  it('accepts a number that is typed or in the URL, in any case, and explains an unknown or mistyped one', async () => {
    const { reg: known } = await h.newReporter()
    const mistyped = (reg: string) => `${reg.slice(0, -1)}${reg.endsWith('A') ? 'B' : 'A'}`
    const open = (query: string) => watched.page.goto(`${h.base_url}/transparency?${query}`)
    await open(`early#${known}`)
    await expectText(`, ${known}: `)
    expect(await watched.page.innerText('main')).not.toContain('Infinity') // it may have no leaf yet
    await untilVerified(h, known)
    await open(`lower#${known.toLowerCase()}`)
    await expectText(`, ${known}: everything is correct`)
    await open(`wrong#${mistyped(known)}`)
    await expectText(/check character, which does not match/, '#progress')
    await expectText('Signed: ', '#head')
    const reg = unknownReg()
    const enter = async (text: string, words: RegExp) => {
      await watched.page.getByLabel('Agent number').fill(text)
      await watched.page.getByRole('button', { name: 'Verify' }).click()
      await expectText(words, '#progress')
    }
    await enter('REG-2026', /looks like REG-2026-0001-0042-U/)
    await enter(reg, RegExp(`This registry has no agent ${reg}`))
    expect(watched.page.url()).toContain(`#${reg}`)
    expect(watched.complaints).toEqual([])
  })
})

it('the OpenAPI document names this host, is readable from any origin, and returns 304 for its ETag', async () => {
  const document = await h.api('GET', '//api/v1/openapi.json')
  expect(document.body.servers).toEqual([{ url: `${h.base_url}/api/v1` }])
  expect(document.headers.get('access-control-allow-origin')).toBe('*')
  const headers = { 'If-None-Match': document.headers.get('etag') ?? '' }
  const again = await h.api('GET', '//api/v1/openapi.json', { headers })
  expect([again.status, again.text]).toEqual([304, ''])
})
