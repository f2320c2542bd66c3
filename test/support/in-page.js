// What test/support/browser.ts does inside of a page; null where the page shows no such thing.
globalThis.visitor = {
  text: (kind) => document.querySelector(kind)?.innerText.trim() ?? null,

  /** Chooses an option, or puts the cursor where a text is to be typed; answers whether it is to be typed. */
  fill(label, text) {
    const field = [...document.querySelectorAll('label')].find(
      (shown) => shown.innerText.trim() === label,
    )?.control
    if (field?.localName !== 'select') {
      field?.focus()
      field?.select()
      return field ? true : null
    }
    const option = [...field.options].find((shown) => shown.text === text)
    if (!option) return null
    option.selected = true
    return false
  },

  /** Where to click on a link or button: its middle, if nothing lies upon it. */
  place(name) {
    const shown = [...document.querySelectorAll('a, button')].find(
      ({ innerText }) => innerText.trim() === name,
    )
    shown?.scrollIntoView({ block: 'center' })
    const [box] = shown?.getClientRects() ?? []
    if (!box) return null
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    return shown.contains(document.elementFromPoint(x, y)) ? [x, y] : null
  },
}
