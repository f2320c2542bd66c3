import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { freshIp } from './harness.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
/** The height of each viewport, px. */
export const HEIGHT = 850
const STEP_MS = 60_000
const WIDTHS = [1280, 390]
const SCHEMES = ['light', 'dark'] as const
/** Blocks all requests to other machines. */
const LOOPBACK = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'

/** The viewports and color schemes in which pages are checked. */
export const VIEWS = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => ({ width, scheme })))
/** Each width and each color scheme once, as no style depends on both. */
export const JUDGED_VIEWS = VIEWS.filter(
  ({ width, scheme }) => (width === WIDTHS[0]) === (scheme === SCHEMES[0]),
)
export type View = (typeof VIEWS)[number]

/** A page, and the problems that the browser reports: messages, policy violations, requests to other origins. */
export interface Watched {
  page: Page
  complaints: string[]
  close(): Promise<void>
}

/** Finds Chromium: `CHROME_PATH`, else the first of its usual names on `PATH`. */
export function findChromium(): string | undefined {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH
  const folders = (process.env.PATH ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

/** Starts the Chromium of this machine, which ends with this process. */
export function startChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium is here: see findChromium')
  const chromiumSandbox = process.getuid?.() !== 0
  return chromium.launch({ executablePath, chromiumSandbox, args: [LOOPBACK], timeout: STEP_MS })
}

/**
 * Opens a page in a new profile, with an IP address that the limiter has not counted yet.
 *
 * @param origins the allowed origins of its requests; default: all
 * @param options for example `javaScriptEnabled`
 */
export async function openPage(
  browser: Browser,
  origins?: readonly string[],
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: HEIGHT },
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'CF-Connecting-IP': freshIp() },
    ...options,
  })
  context.setDefaultTimeout(STEP_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    const { url } = message.location()
    // A page may have a status other than 200, and its script may request something that does not exist.
    const isExpected = url === page.url() || new URL(url || page.url()).pathname.startsWith('/api/v1/')
    if (!isExpected || !message.text().startsWith('Failed to load resource'))
      complaints.push(`${message.type()}: ${message.text()} (${url})`)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origins && origin !== 'null' && !origins.includes(origin)) complaints.push(`asks ${request.url()}`)
  })
  return { page, complaints, close: () => context.close() }
}

/** Presses Enter on the link or button with this name, and waits until the next page has loaded. */
export async function enter(page: Page, name: string): Promise<void> {
  const link = page.getByRole('link', { name, exact: true })
  const either = link.or(page.getByRole('button', { name, exact: true }))
  await Promise.all([page.waitForEvent('load'), either.press('Enter')])
}

/** Fills in the text field with this label. */
export const fill = (page: Page, label: string, text: string): Promise<void> =>
  page.getByRole('textbox', { name: label, exact: true }).fill(text)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
