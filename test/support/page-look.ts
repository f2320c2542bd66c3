import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page, Response } from 'playwright-core'
import { HEIGHT, JUDGED_VIEWS, openPage, VIEWS, type View, type Watched } from './chromium.ts'
import { freshIp } from './harness.ts'

export const IN_PAGE = await readFile(new URL('../browser/in-page.js', import.meta.url), 'utf8')
const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const NARROW = 390
const NARROWEST = 320 // WCAG 2.2, 1.4.10
const TABS = 12
const GZIP_KB = { document: 12, stylesheet: 4, script: 2 } as const
const MAX_REQUESTS = 6
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']
/** The rules that depend on width or colors; all others have the same result in each view. */
const RULES_OF_LOOK = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']
const audit = (of: 'all' | 'look') =>
  `axe.run(${JSON.stringify({
    runOnly: of === 'all' ? { type: 'tag', values: RULES } : { type: 'rule', values: RULES_OF_LOOK },
    resultTypes: ['violations'],
    preload: false, // no rule of ours reads stylesheets
  })}).then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))`

interface Looked {
  url: string
  status: number
  /** The cookie of the viewer, as `name=value`. */
  cookie?: string | undefined
  /** What its title and main part show. */
  shows?: RegExp | undefined
  /** Its size is not checked. */
  isLarge?: boolean | undefined
  /** Another state of a page that is checked in full: it is judged in one view, and not walked through. */
  isFurther?: boolean | undefined
  /** The folder and name of its screenshots. */
  pictures?: { folder: string; name: string } | undefined
}

/**
 * Checks a page in each width and each color scheme (all pairs for screenshots), and walks through it with Tab; a further
 * state of a page only in the narrow and dark view. No page scrolls sideways at 320 px, which is also 1280 px at 400 %.
 *
 * @returns its problems, one sentence each
 */
export async function findProblems(browser: Browser, looked: Looked): Promise<string[]> {
  const { url, status, cookie, shows = /./, isLarge, isFurther, pictures } = looked
  const { origin } = new URL(url)
  return withPage(browser, origin, async ({ page, complaints }) => {
    const [name = '', value = ''] = cookie?.split('=') ?? []
    if (cookie) await page.context().addCookies([{ name, value, url: origin }])
    const loaded: Response[] = []
    page.on('response', (response) => loaded.push(response))
    await show(page, JUDGED_VIEWS[0] as View)
    const response = await page.goto(url)
    const problems = await documentProblems(page, response?.status() ?? 0, status)
    const shown = `${await page.title()} ${await page.locator('main').innerText()}`.replace(/\s+/g, ' ')
    if (!shows.test(shown)) problems.push(`${shows} is not shown in: ${shown}`)
    if (!isLarge) problems.push(...(await weightProblems(loaded)))
    if (!isFurther) problems.push(...(await keyboardProblems(page)))
    for (const view of pictures ? VIEWS : isFurther ? JUDGED_VIEWS.slice(-1) : JUDGED_VIEWS) {
      const { width, scheme } = view
      await show(page, view)
      const found = await viewProblems(page, width)
      problems.push(...found.map((problem) => `${width} px, ${scheme}: ${problem}`))
      if (pictures) await takePicture(page, pictures, `${width}-${scheme}`)
    }
    await page.setViewportSize({ width: NARROWEST, height: HEIGHT })
    const sideways: string[] = await measure(page, 'sideways')
    problems.push(...sideways.map((what) => `${NARROWEST} px: scrolls sideways: ${what}`))
    return [...problems, ...complaints]
  })
}

async function show(page: Page, { width, scheme }: View): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT })
  await page.emulateMedia({ colorScheme: scheme })
}

/** Open pages that are not in use, by the origin of their requests. */
const idle = new Map<string, Watched[]>()

/** Lends a page without cookies. A new profile for each check would take a fifth of the total time. */
async function withPage<T>(
  browser: Browser,
  origin: string,
  use: (watched: Watched) => Promise<T>,
): Promise<T> {
  const spare = idle.get(origin) ?? []
  idle.set(origin, spare)
  const watched = spare.pop() ?? (await openPage(browser, [origin]))
  const { page, complaints } = watched
  await page.setExtraHTTPHeaders({ 'CF-Connecting-IP': freshIp() })
  const result = await use(watched)
  page.removeAllListeners('response')
  await page.context().clearCookies()
  await page.goto('about:blank')
  complaints.length = 0
  spare.push(watched)
  return result
}

async function documentProblems(page: Page, status: number, promised: number): Promise<string[]> {
  await page.evaluate(IN_PAGE)
  const { headings, lang, injected } = await measure(page, 'document')
  return [
    ...(status === promised ? [] : [`status ${status} instead of ${promised}`]),
    ...(headings === 1 ? [] : [`${headings} h1`]),
    ...(lang === 'en' ? [] : [`lang "${lang}"`]),
    ...(injected === 0 ? [] : ['a text has become a part of the page']),
  ]
}

/**
 * The problems of a page in its current state: accessibility and, at 390 px, elements that do not fit.
 *
 * @param width of the page, px
 */
export async function viewProblems(page: Page, width: number): Promise<string[]> {
  const isFirst = !(await page.evaluate('"axe" in globalThis'))
  if (isFirst) await page.evaluate(AXE)
  const violations = (await page.evaluate(audit(isFirst ? 'all' : 'look'))) as string[]
  if (width !== NARROW) return violations
  const sideways: string[] = await measure(page, 'sideways')
  const broken: string[] = await measure(page, 'broken')
  const small: string[] = await measure(page, 'small')
  return [
    ...violations,
    ...sideways.map((what) => `scrolls sideways: ${what}`),
    ...broken.map((what) => `broken into lines: ${what}`),
    ...small.map((what) => `too small to read: ${what}`),
  ]
}

async function weightProblems(loaded: readonly Response[]): Promise<string[]> {
  const heavy = await Promise.all(loaded.map(heaviness))
  return [
    ...heavy.flatMap((problem) => problem ?? []),
    ...(loaded.length > MAX_REQUESTS ? [`${loaded.length} requests, at most ${MAX_REQUESTS}`] : []),
  ]
}

/** Assets that were weighed: they are the same in all pages, and the browser has no body of one that it has kept. */
const weighed = new Set<string>()

async function heaviness(response: Response): Promise<string | null> {
  const url = response.url()
  const type = response.request().resourceType()
  const max = GZIP_KB[type as keyof typeof GZIP_KB]
  if (!max || weighed.has(url)) return null
  if (type !== 'document') weighed.add(url)
  const body = await response.body().catch(() => Buffer.alloc(0)) // of a redirect
  const { byteLength } = gzipSync(body, { level: 9 })
  return byteLength > max * 1024 ? `${url}: ${byteLength} bytes of gzip, at most ${max} KB` : null
}

/** An element that has the focus, as `look.path` in in-page.js describes it. */
interface Focus {
  /** Its index in the document. */
  place: number
  name: string
  isDate: boolean
}

/** Whether Tab starts with the skip link, follows the order of the document, and shows the focus. */
async function keyboardProblems(page: Page): Promise<string[]> {
  const problems: string[] = []
  const stops: number = await measure(page, 'stops')
  const presses = Math.min(stops, TABS)
  await measure(page, 'follow')
  for (let n = 0; n < presses; n += 1) await page.keyboard.press('Tab')
  const path: (Focus | null)[] = await measure(page, 'path')
  let last = -1
  for (let n = 0; n < presses; n += 1) {
    const focus = path[n]
    if (!focus) return [...problems, `Tab ends after ${n} of ${stops} stops`]
    const { place, name, isDate } = focus
    if (n === 0 && !name.includes('Skip to content')) problems.push(`Tab begins with ${name}`)
    if (place < last || (place === last && !isDate)) problems.push(`Tab goes back to ${name}`)
    last = place
  }
  const unseen: string[] = await measure(page, 'unseen') // after a Tab, so that the keyboard was used last
  return [...problems, ...unseen.map((name) => `the focus of ${name} is not to be seen, or out of order`)]
}

// biome-ignore lint/suspicious/noExplicitAny: each function of in-page.js returns something else
export const measure = (page: Page, what: string): Promise<any> => page.evaluate(`look.${what}()`)

async function takePicture(page: Page, { folder, name }: { folder: string; name: string }, view: string) {
  await mkdir(folder, { recursive: true })
  const file = `${name.replaceAll(/[^\w-]+/g, '-').replace(/^-|-$/g, '')}-${view}.png`
  await page.screenshot({ path: join(folder, file), fullPage: true })
}
