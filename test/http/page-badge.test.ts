import { expect, inject, it } from 'vitest'
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

it('the badge shows the score of the API, as SVG and as JSON for shields.io', async () => {
  const start = daysAfter(today, -14)
  const { reg, work, operator } = await newScored(h, { now: at(start, '08:00:00') })
  for (let n = 0; n < 12; n++) await work(at(daysAfter(start, n), '09:00:00'), 10)
  const { body: profile } = await api('GET', `/agents/${reg}`)
  const [svg, { body, headers }] = await Promise.all([badge(reg), json(reg)])
  const message = `established ${profile.trust_score_overall}`
  expect(body).toEqual({
    schemaVersion: 1,
    label: 'agent registry',
    message,
    color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    cacheSeconds: 300,
  })
  expect(titleOf(svg.text)).toBe(`agent registry: ${message}`)
  for (const response of [svg.headers, headers])
    expect(Object.fromEntries(response)).toMatchObject({
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-ratelimit-limit': String(POLICIES.badge.limit),
    })
  expect(svg.headers.get('content-type')).toContain('image/svg+xml')
  await h.suspend(operator)
  expect((await json(reg)).body.message).toBe('suspended')
  for (const number of [unknownReg(), withWrongCheck(reg), 'nobody', '%3Cb%3E'])
    expect(await json(number)).toMatchObject({ status: 200, body: { message: 'not registered' } })
})

it('a badge supports a label of up to 30 characters, and two styles', async () => {
  const { reg } = await newReporter()
  const label = async (text: string) => (await json(reg, `?label=${encodeURIComponent(text)}`)).body.label
  expect(await label('trust of Scout')).toBe('trust of Scout')
  expect(await label('')).toBe('agent registry')
  expect(await label('😀'.repeat(31))).toBe('😀'.repeat(30))
  expect(await label('a\u0000b\u202ec\n d')).toBe('abc d')
  const styles = ['flat', 'flat-square', 'plastic']
  const [flat, square, other] = await Promise.all(styles.map((style) => badge(reg, `?style=${style}`)))
  expect(square?.text).not.toBe(flat?.text)
  expect(other?.text).toBe(flat?.text)
})

it.skipIf(!findChromium())('a badge is well-formed XML with any label', async () => {
  const { reg } = await newReporter()
  const texts = await Promise.all(
    LABELS.map(async (label) => (await badge(reg, `?label=${encodeURIComponent(label)}`)).text),
  )
  await using browser = await startChromium()
  const { page } = await openPage(browser)
  const broken = await page.evaluate(`${JSON.stringify(texts)}.filter((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
    return parsed.querySelector('parsererror') || parsed.documentElement.localName !== 'svg'
  })`)
  expect(broken).toEqual([])
})

it('a badge is gray for a minute, with status 200, without a database and for an IP address over its limit', async () => {
  const { reg } = await newReporter()
  await using worker = await h.variant({ NEON_SQL_URL: 'http://127.0.0.1:9/sql' })
  const svg = await worker.api('GET', `//agents/${reg}/badge.svg`)
  expect([svg.status, titleOf(svg.text)]).toEqual([200, 'agent registry: unavailable'])
  expect(svg.headers.get('cache-control')).toBe('public, max-age=60')

  const ip = freshIp()
  const env = parseEnv({ ...settingsOf(inject('stack_dir')), ASSETS: { fetch } })
  await roomInMinute()
  await limiterOf(env).limit(`badge:${ip}`, { rate: POLICIES.badge.limit }) // uses up the limit
  // The isolate counts an eighth of the limit by itself before it asks Redis.
  await Promise.all(Array.from({ length: POLICIES.badge.limit / 4 }, () => json(reg, '', { ip })))
  const last = await json(reg, '', { ip })
  expect(last).toMatchObject({ status: 200, body: { message: 'unavailable', color: '#5f6871' } })
  expect(last.headers.get('cache-control')).toBe('public, max-age=60')
  expect((await badge(reg)).text).toContain('unrated')
})
