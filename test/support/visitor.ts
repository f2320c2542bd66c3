import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { messageOf } from '../../scripts/support/message.ts'
import { startChromium } from './browser.ts'
import { formVisitor } from './forms.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Somebody who looks at pages and uses them by what is written on them. */
export interface Visitor {
  open(address: string): Promise<void>
  /** Types into the field with this label, or chooses its option with this text. */
  fill(label: string, text: string): Promise<void>
  /** Clicks on the link or button with this text; resolves when the page that it leads to is there. */
  press(name: string): Promise<void>
  /** What is to be read on the page, or in its first element of a kind. */
  text(element?: string): Promise<string>
  address(): Promise<string>
  /** What the browser has refused to load or to run. */
  complaints: string[]
  close(): Promise<void>
}

/**
 * Ways to visit pages, the best one first: in Chromium where there is one that starts, and as text.
 *
 * @returns each visitor with what to call its way in the name of a test
 * @throws Error when the browser of `CHROME_PATH` does not start
 */
export async function openVisitors(): Promise<[visitor: Visitor, way: string][]> {
  const forms: [Visitor, string] = [formVisitor(), 'by links and forms']
  const path = findChromium()
  if (!path) return [forms]
  try {
    return [[await startChromium(path), 'in Chromium'], forms]
  } catch (error) {
    if (process.env.CHROME_PATH) throw error
    return [[forms[0], `${forms[1]}, as ${path} does not start: ${messageOf(error)}`]]
  }
}

/** Chromium: that of `CHROME_PATH`, else the first of its usual names on `PATH`. */
export function findChromium(): string | undefined {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH
  const folders = (process.env.PATH ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
