import { spawn } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Answer, type Ask, speakDevTools } from './devtools.ts'
import type { Visitor } from './visitor.ts'

const LOAD = { timeout: 60_000, interval: 50 }
const END_MS = 5_000
const WIDTHS = [1280, 390]
const FLAGS = [
  ...['--headless', '--remote-debugging-pipe', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--lang=en'],
]

/** A visitor who can press what leads to no other page, too. */
export interface Chromium extends Visitor {
  pressHere(name: string): Promise<void>
}

/**
 * A headless Chromium with one page and a profile of its own; it ends when this process does, however that ends.
 * With `SCREENSHOTS=folder` it leaves a picture there of each page, wide and at 390 px.
 */
export async function startChromium(path: string): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'))
  const flags = [
    ...FLAGS,
    `--user-data-dir=${profile}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  const child = spawn(path, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const { ask, events } = speakDevTools(child)

  async function close(): Promise<void> {
    const runs = child.pid !== undefined && child.exitCode === null && child.signalCode === null
    const ended = runs ? once(child, 'exit') : undefined
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
    await ask('Browser.close').catch(() => child.kill('SIGKILL'))
    await ended
    clearTimeout(late)
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }

  try {
    const { targetId } = await ask('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true })
    const askPage: Ask = (method, params) => ask(method, params, sessionId)
    for (const domain of ['Page', 'Runtime', 'Log']) await askPage(`${domain}.enable`)
    const source = await readFile(new URL('in-page.js', import.meta.url), 'utf8')
    await askPage('Page.addScriptToEvaluateOnNewDocument', { source })
    return { ...pageOf(askPage, events), close }
  } catch (error) {
    await close()
    throw error
  }
}

function pageOf(ask: Ask, events: EventEmitter): Omit<Chromium, 'close'> {
  const complaints: string[] = []
  events.on('Log.entryAdded', ({ entry: { source, url, text } }) => {
    if (source === 'security' || source === 'javascript') complaints.push(`${url}: ${text}`)
  })
  events.on('Runtime.exceptionThrown', ({ exceptionDetails: { text } }) => complaints.push(text))

  async function evaluate(expression: string): Promise<Answer> {
    const { result, exceptionDetails } = await ask('Runtime.evaluate', { expression, returnByValue: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  const address = () => evaluate('location.href')

  /** Asks a function of in-page.js. */
  async function found(work: string, ...given: string[]): Promise<Answer> {
    const answer = await evaluate(`visitor.${work}(...${JSON.stringify(given)})`)
    if (answer !== null) return answer
    throw new Error(`${await address()}: no ${work} of ${given}\n${await evaluate('visitor.text("body")')}`)
  }

  async function click(name: string): Promise<void> {
    const [x, y] = await found('place', name)
    const at = { x, y, button: 'left', clickCount: 1 }
    await ask('Input.dispatchMouseEvent', { type: 'mousePressed', ...at })
    await ask('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at })
  }

  /** Waits for the page after this one, through all redirects. */
  async function leave(by: () => Promise<void>): Promise<void> {
    await evaluate('globalThis.isLeft = true')
    await by()
    await vi.waitFor(async () => {
      const isThere = await evaluate('!globalThis.isLeft && document.readyState === "complete"')
      if (!isThere) throw new Error(`nothing comes after ${await address()}`)
    }, LOAD)
    if (process.env.SCREENSHOTS) await takePictures(ask, process.env.SCREENSHOTS)
  }

  return {
    complaints,
    address,
    text: (element = 'body') => found('text', element),
    open: (url) =>
      leave(async () => {
        const { errorText } = await ask('Page.navigate', { url })
        if (errorText) throw new Error(`${url}: ${errorText}`)
      }),
    async fill(label, text) {
      if (await found('fill', label, text)) await ask('Input.insertText', { text })
    },
    press: (name) => leave(() => click(name)),
    pressHere: click,
  }
}

async function takePictures(ask: Ask, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const width of WIDTHS) {
    const mobile = width < 500
    await ask('Emulation.setDeviceMetricsOverride', { width, height: 850, deviceScaleFactor: 1, mobile })
    const { data } = await ask('Page.captureScreenshot')
    await writeFile(join(folder, `${Date.now()}-${width}.png`), data, 'base64')
  }
  await ask('Emulation.clearDeviceMetricsOverride')
}
