import { messageOf } from '../../scripts/support/message.ts'
import { byKeyboard, byMouse } from './browser-visitor.ts'
import { findChromium, openPage, startChromium } from './chromium.ts'
import { formVisitor } from './forms.ts'

/** A user of pages, who finds fields, links and buttons by their texts. */
export interface Visitor {
  open(address: string): Promise<void>
  /** Types into the field with this label, or selects its option with this text. */
  fill(label: string, text: string): Promise<void>
  /** Ticks the box with this label. */
  tick(label: string): Promise<void>
  /** Follows the link or presses the button with this text; resolves when the next page has loaded. */
  press(name: string): Promise<void>
  /** The visible text of the page, or of the first element with a tag. */
  text(element?: string): Promise<string>
  address(): Promise<string>
  /** Problems of the page's layout; always empty without a browser. */
  problems(): Promise<string[]>
  /** What the browser has blocked, and where the focus was invisible. */
  complaints: string[]
  close(): Promise<void>
}

/**
 * Ways to visit pages: in Chromium, if available, by keyboard and without scripts; otherwise as text, by links and
 * forms.
 *
 * @returns each way with its name for test titles, and a function that closes all visitors
 * @throws Error if the browser of `CHROME_PATH` does not start
 */
export async function openVisitors(): Promise<{
  visitors: [visitor: Visitor, way: string][]
  close(): Promise<void>
}> {
  const forms: [Visitor, string] = [formVisitor(), 'by links and forms']
  if (!findChromium()) return { visitors: [forms], close: async () => undefined }
  try {
    const browser = await startChromium()
    const [keyboard, noScript] = await Promise.all([
      openPage(browser),
      openPage(browser, undefined, { javaScriptEnabled: false }),
    ])
    return {
      visitors: [
        [byKeyboard(keyboard), 'by keyboard alone'],
        [byMouse(noScript), 'without script'],
      ],
      close: () => browser.close(),
    }
  } catch (error) {
    if (process.env.CHROME_PATH) throw error
    forms[1] += `, as Chromium does not start: ${messageOf(error)}`
    return { visitors: [forms], close: async () => undefined }
  }
}
