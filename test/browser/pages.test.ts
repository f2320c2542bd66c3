import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInToConsole } from '../../local/sign-in.ts'
import { startWorker } from '../../local/worker.ts'
import { app } from '../../src/app.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { findChromium, openPage, startChromium } from '../support/chromium.ts'
import { type Harness, ownStack } from '../support/harness.ts'
import type { PageCase } from '../support/page-case.ts'
import { findProblems, IN_PAGE, measure } from '../support/page-look.ts'
import {
  AWAY_PAGES,
  EMPTY_PAGES,
  furtherOf,
  NO_PAGES,
  nameOf,
  PAGES,
  staticPages,
} from '../support/page-table.ts'
import { makeWorld, type World } from '../support/page-world.ts'

const OF_PROGRAMS = /^\/(api|internal|log|health|ready|\.well-known)(\/|$)/
const ASSETS = join(import.meta.dirname, '../../dist/assets')
const STATIC = staticPages(globSync('**/*.html', { cwd: ASSETS }))
const FURTHER = furtherOf([...PAGES, ...STATIC])
const pictures = process.env.PICTURES

it('the tables of pages have each page that the app serves', () => {
  const known = new Set([...EMPTY_PAGES, ...PAGES, ...STATIC].map(({ route }) => route))
  const served = app.routes
    .filter(({ method, path }) => method === 'GET' && !OF_PROGRAMS.test(path))
    .map(({ path }) => path)
  expect([...new Set(served)].filter((path) => !known.has(path) && !NO_PAGES.includes(path))).toEqual([])
})

describe.skipIf(!findChromium())('pages in Chromium (skipped if it is not installed)', () => {
  let own: Harness & { stop(): Promise<void> }
  let browser: Browser
  beforeAll(async () => {
    // Not checked, because `wrangler dev` logs each path, including that of an unsubscribe link.
    const stack = ownStack({ runWorker: startWorker, checked: false })
    ;[own, browser] = await Promise.all([stack, startChromium()])
  })
  afterAll(() => Promise.all([browser?.close(), own?.stop()]))

  const problemsOf = (one: PageCase, path: string, cookie?: string, at = own.base_url) =>
    findProblems(browser, {
      ...one,
      url: at + path,
      cookie,
      isFurther: FURTHER.has(one),
      pictures: pictures ? { folder: pictures, name: nameOf(one) } : undefined,
    })

  describe('a registry without agents', () => {
    it.each(EMPTY_PAGES.map((one) => [nameOf(one), one] as const))('%s', async (_, one) => {
      expect(await problemsOf(one, String(one.path))).toEqual([])
    })
  })

  describe('a registry whose database is down', () => {
    let offline: Awaited<ReturnType<Harness['variant']>>
    beforeAll(async () => {
      offline = await own.variant({ NEON_SQL_URL: 'http://127.0.0.1:9/sql' }, startWorker)
    })
    afterAll(() => offline?.stop())

    it.each(AWAY_PAGES.map((one) => [nameOf(one), one] as const))('%s', async (_, one) => {
      expect(await problemsOf(one, String(one.path), undefined, offline.url)).toEqual([])
    })
  })

  describe('a registry with data', () => {
    let world: World
    const cookies = new Map<string, string>()
    beforeAll(async () => {
      world = await makeWorld(own)
      const viewers = new Set(PAGES.map(({ viewer }) => viewer))
      for (const viewer of viewers) {
        if (viewer === 'nobody') continue
        const { email } = world.operators[viewer]
        const { base_url: baseUrl, mailbox_url: mailboxUrl } = own
        cookies.set(viewer, await signInToConsole({ baseUrl, mailboxUrl, email }))
      }
    })

    it('shows completed and failed tasks by shape, without animations, and the values of a day by keyboard', async () => {
      const { page, close } = await openPage(browser, undefined, { forcedColors: 'active' })
      await page.goto(`${own.base_url}/agents/${world.regs.invoices}`)
      await page.evaluate(IN_PAGE)
      expect(await measure(page, 'plot')).toEqual({
        isApart: true,
        areSeen: true,
        legend: ['▲ completed', '▼ failed', '● faults'],
        moving: 0,
        scrolls: 'auto',
      })
      const cells = (plot: number) =>
        page.locator('.plot + details').nth(plot).locator('tr').nth(1).locator('td')
      const chosen = async (plot: number, ...keys: string[]) => {
        const slider = page.locator('.plot [type="range"]').nth(plot)
        for (const key of keys) await slider.press(key)
        return slider.getAttribute('aria-valuetext')
      }
      const [, score] = await cells(0).allTextContents()
      expect(await chosen(0, 'Home', 'End')).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d: ${score}$`))
      const [day = '', completed, failed, faults] = await cells(1).allTextContents()
      const first = (await chosen(1, 'Home'))?.slice(0, 10) ?? ''
      const slider = page.locator('.plot [type="range"]').nth(1)
      await slider.fill(String((Date.parse(day) - Date.parse(first)) / DAY_MS))
      expect(await page.locator('output').nth(1).textContent()).toBe(
        `${day}: ${completed} completed, ${failed} failed, ${faults} faults`,
      )
      await close()
    })

    it('copies the code of the documentation, with the URL of this registry', async () => {
      const { page, close } = await openPage(browser)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(`${own.base_url}/docs/quickstart`)
      const buttons = page.locator('article pre + button')
      expect(await buttons.count()).toBe(await page.locator('article pre').count())
      await buttons.first().click()
      await expect.poll(() => buttons.first().textContent()).toBe('Copied')
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`REGISTRY=${own.base_url}\n`)
      await close()
    })

    it('prints the page of an agent on one sheet', async () => {
      const { page, close } = await openPage(browser)
      await page.goto(`${own.base_url}/agents/${world.regs.invoices}`)
      const pdf = await page.pdf({ format: 'A4' })
      expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
      await close()
    })

    it.concurrent.each([...PAGES, ...STATIC].map((one) => [nameOf(one), one] as const))(
      '%s',
      async (_, one) => {
        const path = typeof one.path === 'string' ? one.path : one.path(world)
        expect(await problemsOf(one, path, cookies.get(one.viewer))).toEqual([])
      },
    )
  })
})
