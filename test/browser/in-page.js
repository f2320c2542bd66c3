// Checks that run inside a page. Those that return a list return what is wrong.
const NARROWEST_PX = 9

const shown = (element) => {
  const { width, height } = element.getBoundingClientRect()
  return width > 1 && height > 1
}
const describeElement = (element) => `<${element.localName}> "${element.textContent.trim().slice(0, 40)}"`

/** The number of lines of a text: boxes side by side are one line. */
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

/** The elements that Tab should reach, in document order; a group of radio buttons counts once. */
const stops = () =>
  [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(
    (element) =>
      !element.disabled &&
      element.type !== 'hidden' &&
      (element.type !== 'radio' || element.checked) &&
      element.getClientRects().length > 0 &&
      element.checkVisibility(),
  )

const path = []

/** The focused element and its index in the document; each part of a date input takes the focus. */
function focus() {
  const active = document.activeElement
  if (!active || active === document.body) return null
  return {
    place: [...document.querySelectorAll('*')].indexOf(active),
    name: describeElement(active),
    isDate: isDate(active),
  }
}

globalThis.look = {
  document: () => ({
    headings: document.querySelectorAll('h1').length,
    lang: document.documentElement.lang,
    injected: document.querySelectorAll('[onerror], [src="x"], main script:not([type="application/ld+json"])')
      .length,
  }),

  /** Elements that make the page scroll horizontally. */
  sideways() {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) =>
        element.getBoundingClientRect().right > clientWidth + 1 && !element.closest('.scroll, pre'),
    )
    return [`${scrollWidth} px wide`, ...wide.slice(0, 3).map(describeElement)]
  },

  /** Buttons and table headers that wrap. */
  broken: () =>
    [...document.querySelectorAll('button, .button, thead th')]
      .filter((element) => shown(element) && lineBoxes(element) > 1)
      .map(describeElement),

  /** Texts in plots that are too small. */
  small: () =>
    [...document.querySelectorAll('svg text, .plot span, .plot figcaption')]
      .filter((text) => {
        const scale = text.getScreenCTM?.()?.d ?? 1
        return shown(text) && Number.parseFloat(getComputedStyle(text).fontSize) * scale < NARROWEST_PX
      })
      .map(describeElement),

  /** The number of elements that Tab should reach. */
  stops: () => stops().length,

  /** Records which element has the focus after each Tab, for `path`. */
  follow() {
    addEventListener('keyup', ({ key }) => key === 'Tab' && path.push(focus()))
  },

  path: () => path,

  /** Elements whose focus is not visible, or that have a positive tabindex. */
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
    return found.map(describeElement)
  },

  /** Whether completed and failed tasks are on different sides of the axis and visible against the background. */
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
