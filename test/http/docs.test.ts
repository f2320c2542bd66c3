import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { ERROR_TEXTS } from '../../scripts/document/error-texts.ts'
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts'
import { expectBound, expectPage, YEAR_SECONDS } from '../support/bound.ts'
import { findChromium, openPage, startChromium, type Watched } from '../support/chromium.ts'
import { unknownReg } from '../support/fill.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const ASSETS = /(?:href|src)="(\/docs\/[^"]+)"/g
const OF_THE_LOG = /(?:href|src)="(\/(?:docs|transparency)\/[^"]+)"/g
const IMPORTS = /^(?:import|export|\}) [^'"]*from '([^']+)'/gm

// The pages stand beside the Worker: `wrangler dev` serves them, as the platform does.
let site: Awaited<ReturnType<typeof h.variant>>
beforeAll(async () => {
  site = await h.variant({}, startWorker)
})
afterAll(() => site.stop())

describe('the reference page', () => {
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
})

describe('the page of the transparency log', () => {
  it('stands where the first leaf of the log says', async () => {
    await h.cron() // the first job begins the log
    const { text } = await h.api('GET', '//log/tile/entries/000.p/1')
    const { spec } = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '')
    expect(new URL(spec).pathname).toBe('/transparency')
    const page = await site.api('GET', '//transparency')
    expect(page.status).toBe(200)
    expectPage(page, '/transparency')
    expect(page.text).not.toMatch(/<script>|<style|style=|\son\w+=/)
    expect(page.text).toMatch(/<noscript>.*does not run/s)
  })

  it('loads all of its modules from this host, without a type in them', async () => {
    const { text } = await site.api('GET', '//transparency')
    const waiting = [...text.matchAll(OF_THE_LOG)].map(([, path = '']) => path)
    const seen = new Set<string>()
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      const file = await site.api('GET', `/${path}`)
      expect([file.status, path.endsWith('.ts')], path).toEqual([200, false])
      expectBound(file, path)
      for (const [, to = ''] of file.text.matchAll(IMPORTS)) {
        waiting.push(new URL(to, `https://x.example${path}`).pathname)
      }
    }
    expect(seen).toContain('/transparency/packages/verify/index.js')
    expect(seen).toContain('/transparency/src/transparency/merkle.js')
  })
})

describe.skipIf(!findChromium())('in Chromium (skipped where there is none)', () => {
  let browser: Browser
  let watched: Watched
  beforeAll(async () => {
    browser = await startChromium()
    watched = await openPage(browser, [new URL(site.url).origin])
  })
  afterAll(() => browser?.close())

  const reads = (words: string | RegExp, element = 'main') =>
    expect.poll(() => watched.page.innerText(element)).toMatch(words)

  it('verifies an agent by its number, and says what holds', async () => {
    const { reg, key } = await h.newReporter()
    await h.report(key, reg, { metadata: { response_ms: 900 } })
    await h.report(key, reg, { event_type: 'incident', severity: 'error', metadata: { title: 'Down' } })
    await h.cron()
    await watched.page.goto(`${site.url}/transparency#${reg}`)
    await reads(`, ${reg}: all of it holds`)
    const text = await watched.page.innerText('main')
    expect(text).toContain('2 events, 1 revision of the agent, 1 of incidents')
    expect(text).toContain('2 events, 1 incident and the profile')
    expect(text).toContain('The public activity lists 2 events as the log has them')
    expect(text).toContain('This key is the registry’s own word')
    expect(text).toContain(`--vkey '${(await h.api('GET', '//log/info.json')).body.vkeys[0]}'`)
    expect(watched.complaints).toEqual([])
  })

  it('takes a number that is typed, and tells one that is unknown or mistyped', async () => {
    await watched.page.goto(`${site.url}/transparency?`)
    await reads('The head is signed', '#head')
    const reg = unknownReg()
    const enter = async (text: string, words: RegExp) => {
      await watched.page.getByLabel('Agent number').fill(text)
      await watched.page.getByRole('button', { name: 'Verify' }).click()
      await reads(words, '#progress')
    }
    await enter('REG-2026', /looks like REG-2026-0001-0042-U/)
    await enter(`${reg.slice(0, -1)}${reg.endsWith('A') ? 'B' : 'A'}`, /last character does not fit/)
    await enter(reg, RegExp(`This registry has no agent ${reg}`))
    expect(watched.page.url()).toContain(`#${reg}`)
    expect(watched.complaints).toEqual([])
  })

  it('takes a number from the address in any case, and reads the head beside one that is mistyped', async () => {
    const { reg } = await h.newReporter()
    await h.cron()
    await watched.page.goto(`${site.url}/transparency?lower#${reg.toLowerCase()}`)
    await reads(`, ${reg}: all of it holds`)
    await watched.page.goto(
      `${site.url}/transparency?wrong#${reg.slice(0, -1)}${reg.endsWith('A') ? 'B' : 'A'}`,
    )
    await reads(/last character does not fit/, '#progress')
    await reads('The head is signed', '#head')
    expect(watched.complaints).toEqual([])
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
