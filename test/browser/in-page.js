// What the tests of pages measure inside of a page. Each function returns what is wrong.
const NARROWEST_PX = 9

const shown = (element) => {
  const { width, height } = element.getBoundingClientRect()
  return width > 1 && height > 1
}
const called = (element) => `<${element.localName}> "${element.textContent.trim().slice(0, 40)}"`

/** How many lines a text has: boxes that stand next to each other are one. */
function lineBoxes(element) {
  const range = document.createRange()
  range.selectNodeContents(element)
  const boxes = [...range.getClientRects()].filter(({ width }) => width > 0).sort((a, b) => a.top - b.top)
  let [lines, bottom] = [0, -Infinity]
  for (const box of boxes) {
    if (box.top >= bottom - 2) lines += 1
    bottom = Math.max(bottom, box.bottom)
  }
  return lines
}

const isDate = ({ type }) => type?.startsWith('date') ?? false

/** What Tab should reach, in the order of the document: a group of radio buttons is one. */
const stops = () =>
  [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(
    (element) =>
      !element.disabled &&
      element.type !== 'hidden' &&
      (element.type !== 'radio' || element.checked) &&
      element.getClientRects().length > 0 &&
      element.checkVisibility(),
  )

globalThis.look = {
  document: () => ({
    headings: document.querySelectorAll('h1').length,
    lang: document.documentElement.lang,
    hasTitle: document.title.trim() !== '',
    injected: document.querySelectorAll('[onerror], [src="x"], main script:not([type="application/ld+json"])')
      .length,
  }),

  /** What scrolls the whole page sideways. */
  sideways() {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) =>
        element.getBoundingClientRect().right > clientWidth + 1 && !element.closest('.scroll, pre'),
    )
    return [`${scrollWidth} px wide`, ...wide.slice(0, 3).map(called)]
  },

  /** Buttons and heads of tables that are broken into lines. */
  broken: () =>
    [...document.querySelectorAll('button, .button, thead th')]
      .filter((element) => shown(element) && lineBoxes(element) > 1)
      .map(called),

  /** Texts of plots that are too small on the screen. */
  small: () =>
    [...document.querySelectorAll('svg text, .plot span, .plot figcaption')]
      .filter((text) => {
        const scale = text.getScreenCTM?.()?.d ?? 1
        return shown(text) && Number.parseFloat(getComputedStyle(text).fontSize) * scale < NARROWEST_PX
      })
      .map(called),

  /** How many stops Tab should make. */
  stops: () => stops().length,

  /** The place in the document of what has the focus; a date has a focus in each part. */
  focus() {
    const active = document.activeElement
    if (!active || active === document.body) return null
    return {
      place: [...document.querySelectorAll('*')].indexOf(active),
      name: called(active),
      isDate: isDate(active),
    }
  },

  /** Stops whose focus is not to be seen, or that have an order of their own. */
  unseen() {
    const found = stops().filter((stop) => {
      stop.focus()
      const { outlineStyle, outlineWidth } = getComputedStyle(stop)
      const { top, bottom, left, right } = stop.getBoundingClientRect()
      const isSeen = isDate(stop) || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2)
      const isInView = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
      return !isSeen || !isInView || stop.tabIndex > 0
    })
    document.activeElement.blur()
    scrollTo(0, 0)
    return found.map(called)
  },

  /** Whether completed and failed tasks are on different sides of a line, and each is to be seen on its ground. */
  plot() {
    const [done, failed] = ['.plot .done', '.plot .failed'].map((kind) =>
      [...document.querySelectorAll(kind)].find(({ localName }) => localName === 'path'),
    )
    const ground = getComputedStyle(document.body).backgroundColor
    return {
      isApart: done.getBoundingClientRect().bottom <= failed.getBoundingClientRect().top + 1,
      areSeen: [done, failed].every((path) => getComputedStyle(path).fill !== ground),
      legend: [...document.querySelectorAll('.plot .legend span')].map(({ innerText }) => innerText),
      moving: document.getAnimations().length,
      scrolls: getComputedStyle(document.documentElement).scrollBehavior,
    }
  },
}
