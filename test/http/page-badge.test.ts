import { describe, expect, inject, it } from 'vitest'
import { parseEnv } from '../../src/env.ts'
import { POLICIES } from '../../src/http/limits.ts'
import { limiterOf } from '../../src/http/ratelimit.ts'
import { findChromium, openPage, startChromium } from '../support/chromium.ts'
import { unknownReg, withWrongCheck } from '../support/fill.ts'
import { type Call, freshIp, shared } from '../support/harness.ts'
import { roomInMinute } from '../support/minute.ts'
import { decode } from '../support/page.ts'
import { at, daysAfter, newScored } from '../support/scored.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const { api, newReporter } = h
const today = new Date().toISOString().slice(0, 10)

const badge = (reg: string, query = '', call: Call = {}) =>
  api('GET', `//agents/${reg}/badge.svg${query}`, call)
const json = (reg: string, query = '', call: Call = {}) =>
  api('GET', `//agents/${reg}/badge.json${query}`, call)
const titleOf = (svg: string) => decode(/<title>(.*?)<\/title>/s.exec(svg)?.[1] ?? '')

const LABELS = [
  '<script>alert(1)</script>',
  '"quotes" & \'apostrophes\'',
  ']]> <!-- --> <?x?>',
  'a\u0000b\u0001c\u001fd\ufffee\uffff',
  '😀'.repeat(40),
  'x'.repeat(500),
  '\u202eright to left',
  ' \t\n ',
]

describe('the badge of an agent', () => {
  it('shows the score of the API, as SVG and as JSON for shields.io', async () => {
    const start = daysAfter(today, -14)
    const { reg, work, operator } = await newScored(h, { now: at(start, '08:00:00') })
    for (let n = 0; n < 12; n++) await work(at(daysAfter(start, n), '09:00:00'), 10)
    const { body: profile } = await api('GET', `/agents/${reg}`)
    const { body, headers } = await json(reg)
    expect(body).toEqual({
      schemaVersion: 1,
      label: 'agent registry',
      message: `established ${profile.trust_score_overall}`,
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      cacheSeconds: 300,
    })
    const svg = await badge(reg)
    expect(titleOf(svg.text)).toBe(`agent registry: established ${profile.trust_score_overall}`)
    expect(svg.text).toMatch(/^<svg [^>]*height="20"[^>]* role="img"/)
    for (const response of [svg.headers, headers]) {
      expect(response.get('cache-control')).toBe('public, max-age=300')
      expect(response.get('access-control-allow-origin')).toBe('*')
      expect(response.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(response.get('x-ratelimit-limit')).toBe(String(POLICIES.badge.limit))
    }
    expect(svg.headers.get('content-type')).toContain('image/svg+xml')
    await h.suspend(operator)
    expect((await json(reg)).body.message).toBe('suspended')
    expect((await json((await newReporter()).reg)).body.message).toBe('unrated')
  })

  it('is gray with status 200 for an unknown agent', async () => {
    const { reg } = await newReporter()
    for (const number of [unknownReg(), withWrongCheck(reg), 'nobody', '%3Cb%3E']) {
      const [svg, { status, body }] = await Promise.all([badge(number), json(number)])
      expect([number, svg.status, titleOf(svg.text)]).toEqual([number, 200, 'agent registry: not registered'])
      expect([status, body.message]).toEqual([200, 'not registered'])
    }
  })

  it('supports a label of up to 30 characters, and two styles', async () => {
    const { reg } = await newReporter()
    const label = async (text: string) => (await json(reg, `?label=${encodeURIComponent(text)}`)).body.label
    expect(await label('trust of Scout')).toBe('trust of Scout')
    expect(await label('')).toBe('agent registry')
    expect(await label('😀'.repeat(31))).toBe('😀'.repeat(30))
    expect(await label('a\u0000b\u202ec\n d')).toBe('abc d')
    const [flat, square, other] = await Promise.all([
      badge(reg, '?style=flat'),
      badge(reg, '?style=flat-square'),
      badge(reg, '?style=plastic'),
    ])
    expect(flat.text).toContain('rx="3"')
    expect(square.text).not.toContain('rx="3"')
    expect(other.text).toBe(flat.text)
  })

  it.skipIf(!findChromium())('is well-formed XML with any label, and is displayed on the page', async () => {
    const { reg } = await newReporter()
    const texts = await Promise.all(
      LABELS.map(async (label) => (await badge(reg, `?label=${encodeURIComponent(label)}`)).text),
    )
    const browser = await startChromium()
    try {
      const { page, complaints } = await openPage(browser)
      await page.goto(`${h.base_url}/agents/${reg}`)
      const broken = await page.evaluate(`${JSON.stringify(texts)}.filter((text) => {
        const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
        return parsed.querySelector('parsererror') || parsed.documentElement.localName !== 'svg'
      })`)
      expect(broken).toEqual([])
      const width = await page.evaluate('document.querySelector("img").naturalWidth')
      expect(width).toBeGreaterThan(100)
      const staticFiles = /\/ui\// // this stack serves none
      expect(complaints.filter((one) => !staticFiles.test(one))).toEqual([])
    } finally {
      await browser.close()
    }
  })
})

it('a badge is gray for a minute, with status 200, if the database does not respond', async () => {
  const { reg } = await newReporter()
  await using worker = await startWithoutDatabase()
  const [svg, { status, body, headers }] = await Promise.all([
    worker.api('GET', `//agents/${reg}/badge.svg`),
    worker.api('GET', `//agents/${reg}/badge.json`),
  ])
  expect([svg.status, titleOf(svg.text)]).toEqual([200, 'agent registry: unavailable'])
  expect([status, body.message, body.color]).toEqual([200, 'unavailable', '#5f6871'])
  for (const response of [svg.headers, headers])
    expect(response.get('cache-control')).toBe('public, max-age=60')
})

it('a badge is gray for a minute, with status 200, for an IP address over its limit', async () => {
  const { reg } = await newReporter()
  const ip = freshIp()
  const env = parseEnv({ ...settingsOf(inject('stack_dir')), ASSETS: { fetch } })
  await roomInMinute()
  await limiterOf(env).limit(`badge:${ip}`, { rate: POLICIES.badge.limit }) // uses up the limit
  let last = await json(reg, '', { ip })
  // The isolate counts an eighth of the limit by itself before it asks Redis.
  for (let n = 0; n < POLICIES.badge.limit / 4 && last.body.message !== 'unavailable'; n++) {
    last = await json(reg, '', { ip })
  }
  expect([last.status, last.body.message]).toEqual([200, 'unavailable'])
  expect(last.headers.get('cache-control')).toBe('public, max-age=60')
  expect((await badge(reg, '', { ip: freshIp() })).text).toContain('unrated')
})

/** A Worker without a reachable database. */
async function startWithoutDatabase() {
  const worker = await h.variant({ NEON_SQL_URL: 'http://127.0.0.1:9/sql' })
  return { ...worker, [Symbol.asyncDispose]: worker.stop }
}
