import { messageOf } from '../../scripts/support/message.ts'
import { byKeyboard, byMouse } from './browser-visitor.ts'
import { findChromium, openPage, startChromium } from './chromium.ts'
import { formVisitor } from './forms.ts'

/** Somebody who looks at pages and uses them by what is written on them. */
export interface Visitor {
  open(address: string): Promise<void>
  /** Types into the field with this label, or chooses its option with this text. */
  fill(label: string, text: string): Promise<void>
  /** Ticks the box with this label. */
  tick(label: string): Promise<void>
  /** Follows the link or presses the button with this text; resolves when the page that it leads to is there. */
  press(name: string): Promise<void>
  /** What is to be read on the page, or in its first element of a kind. */
  text(element?: string): Promise<string>
  address(): Promise<string>
  /** What is wrong with the look of the page; where no browser is, nobody can say. */
  problems(): Promise<string[]>
  /** What the browser has refused to load or to run, and a focus that was not to be seen. */
  complaints: string[]
  close(): Promise<void>
}

/**
 * Ways to visit pages: in Chromium by keyboard and without script, where there is one that starts; else as text, by
 * links and forms.
 *
 * @returns each visitor with what to call its way in the name of a test, and what ends them all
 * @throws Error when the browser of `CHROME_PATH` does not start
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
