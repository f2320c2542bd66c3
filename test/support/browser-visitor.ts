import type { Page } from 'playwright-core'
import type { Watched } from './chromium.ts'
import { viewProblems } from './page-look.ts'
import type { Visitor } from './visitor.ts'

const MAX_TABS = 150

/** The focused element, and whether the focus is visible (in a date, Chromium marks the focused part); null if none. */
const ACTIVE = `(() => {
  const active = document.activeElement
  if (!active || active === document.body) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(active)
  return {
    kind: active.localName,
    text: active.innerText?.trim() ?? '',
    labels: [...(active.labels ?? [])].map((label) => label.innerText.trim()),
    options: active.options ? [...active.options].map(({ text }) => text) : null,
    isSeen: active.type?.startsWith('date') || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1),
  }
})()`

interface Active {
  kind: string
  text: string
  labels: string[]
  options: string[] | null
  isSeen: boolean
}

const PRESSED = ['a', 'button', 'summary']

/** Uses the mouse and types; works in pages without scripts. */
export function byMouse(watched: Watched): Visitor {
  const { page } = watched
  const fields = page.locator('input, select, textarea')
  const field = (label: string) => fields.and(page.getByLabel(label, { exact: true }))
  return {
    ...readerOf(watched),
    async fill(label, text) {
      const isSelect = await field(label).evaluate(({ localName }) => localName === 'select')
      await (isSelect ? field(label).selectOption({ label: text }) : field(label).fill(text))
    },
    tick: (label) => field(label).check(),
    problems: async () => [], // axe waits for timers, which never fire in a page without script
    press: (name) =>
      leave(page, () =>
        page
          .getByRole('link', { name, exact: true })
          .or(page.getByRole('button', { name, exact: true }))
          .click(),
      ),
  }
}

/** Uses only the keyboard; reports an invisible focus. */
export function byKeyboard(watched: Watched): Visitor {
  const { page, complaints } = watched
  const { keyboard } = page

  async function reach(what: string, isIt: (active: Active) => boolean): Promise<Active> {
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      const active = (await page.evaluate(ACTIVE)) as Active | null
      if (active && !active.isSeen && active.kind !== 'main') {
        complaints.push(`${page.url()}: the focus of "${active.text || active.labels}" is not visible`)
      }
      if (active && isIt(active)) return active
      await keyboard.press('Tab')
    }
    throw new Error(`${page.url()}: Tab does not reach ${what}\n${await page.innerText('body')}`)
  }

  const reachField = (label: string) => reach(`the field "${label}"`, ({ labels }) => labels.includes(label))

  return {
    ...readerOf(watched),
    async fill(label, text) {
      const { options } = await reachField(label)
      if (options) {
        await keyboard.press('Home')
        for (let n = options.indexOf(text); n > 0; n -= 1) await keyboard.press('ArrowDown')
        return
      }
      await keyboard.press('ControlOrMeta+A')
      await keyboard.type(text)
    },
    async tick(label) {
      await reachField(label)
      await keyboard.press('Space')
    },
    async press(name) {
      await reach(`"${name}"`, ({ kind, text }) => PRESSED.includes(kind) && text === name)
      await leave(page, () => keyboard.press('Enter'))
    },
  }
}

function readerOf({ page, complaints, close }: Watched) {
  return {
    complaints,
    close,
    open: async (address: string) => void (await page.goto(address)),
    address: async () => page.url(),
    problems: () => viewProblems(page, page.viewportSize()?.width ?? 0),
    text: async (element = 'body') => (await page.innerText(element)).trim(),
  }
}

/** Waits until the next page has loaded, after all redirects. */
async function leave(page: Page, by: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), by()])
}
