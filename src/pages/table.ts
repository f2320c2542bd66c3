import { type Html, html, scrolling } from './html.ts'

/**
 * A table that scrolls horizontally, also by keyboard.
 *
 * @param columns labels with ` | ` between them; `#` marks a column of numbers, and an empty label one without a heading
 */
export function table(label: string, columns: string, rows: Html | readonly Html[], kind = ''): Html {
  const heads = columns.split(' | ').map((text) => {
    if (text === '') return html`<td></td>`
    const [, mark, name] = /^(#?)(.*)$/.exec(text) ?? []
    return html`<th scope="col"${mark && html` class="n"`}>${name}</th>`
  })
  return scrolling(
    label,
    html`<table${kind && html` class="${kind}"`}><thead><tr>${heads}</tr></thead>
<tbody>${rows}</tbody></table>`,
  )
}
