// Progressive enhancement: blocks of code in the documentation get copy buttons.
for (const pre of document.querySelectorAll('.docs pre')) {
  const box = document.createElement('div')
  const button = document.createElement('button')
  box.className = 'copy'
  button.className = 'light'
  button.type = 'button'
  button.textContent = 'Copy'
  button.dataset.copy = pre.textContent
  pre.replaceWith(box)
  box.append(pre, button)
}

// Progressive enhancement: enables the copy buttons.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const label = button.textContent
    try {
      await navigator.clipboard.writeText(
        button.dataset.copy || document.getElementById(button.dataset.of)?.textContent,
      )
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Press Ctrl+C'
    }
    setTimeout(() => (button.textContent = label), 2000)
  })
}

// Progressive enhancement: a part of a page that still changes is fetched again, every 2 s for a minute, then every 30 s.
const live = document.querySelector('[data-live="changing"]')
const begun = Date.now()
const again = () => setTimeout(refresh, Date.now() - begun < 6e4 ? 2e3 : 3e4)
async function refresh() {
  // What has the focus is not replaced.
  const isIdle = () => !document.hidden && !live.contains(document.activeElement)
  if (isIdle()) {
    try {
      const response = await fetch(location.href)
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const next = page.querySelector('[data-live]')
      if (!response.ok || !next) return // such as after signing out
      if (isIdle()) {
        live.replaceChildren(...next.childNodes)
        if (next.dataset.live === 'done') return
      }
    } catch {}
  }
  again()
}
if (live) again()

// Progressive enhancement: shows the values of a day of a plot, which are in the table below it.
for (const plot of document.querySelectorAll('.plot:has([type="range"])')) {
  const [svg, slider, output] = ['svg', 'input', 'output'].map((name) => plot.querySelector(name))
  const table = plot.nextElementSibling.querySelector('table')
  const [heads, ...rows] = [...table.rows].map(({ cells }) =>
    [...cells].map(({ textContent }) => textContent),
  )
  const first = Date.parse(plot.querySelector('.x span').textContent)
  const isScore = heads.length === 2
  const show = () => {
    const day = new Date(first + slider.value * 864e5).toISOString().slice(0, 10)
    // The newest row comes first. A score holds until the next one; tasks are of a day, or of the week to it.
    const row = isScore ? rows.find(([to]) => to <= day) : rows.findLast(([to]) => to >= day)
    const isBusy =
      isScore || (row && Date.parse(row[0]) - Date.parse(day) < (heads[0] === 'Day' ? 1 : 7) * 864e5)
    const values = isScore
      ? [row?.[1] ?? 'none']
      : heads.slice(1).map((head, n) => `${isBusy ? row[n + 1] : 0} ${head}`)
    output.textContent = `${isScore ? day : (isBusy && row[0]) || day}: ${values.join(', ').toLowerCase()}`
    slider.setAttribute('aria-valuetext', output.textContent)
  }
  slider.hidden = false
  slider.addEventListener('input', show)
  svg.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect()
    slider.value = Math.floor(((clientX - left) / width) * (Number(slider.max) + 1))
    show()
  })
}
