import { type Html, html, raw, scrolling } from '../../src/pages/html.ts'
import type { Field, Shape } from './fields.ts'
import { renderInline } from './markdown.ts'

/** What is marked of a field: of a request that it is required, of a response that it may be missing. */
type Mark = 'required' | 'optional'

/** @param label what assistive technology calls the box that a narrow screen scrolls */
export function table(label: string, heads: string[], rows: Html[][]): Html {
  return scrolling(
    label,
    html`<table>
<thead><tr>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table>`,
  )
}

/** The fields of a value, under its name where it is one of several. */
export function shapeTable(label: string, { name, fields }: Shape, mark: Mark): Html {
  return html`${name && html`<h3>${name}</h3>`}${fieldTable(name ? `${label}: ${name}` : label, fields, mark)}`
}

/** Fields with their types and rules; nothing when there are none. */
export function fieldTable(label: string, fields: Field[], mark: Mark): Html {
  if (fields.length === 0) return html``
  const rows = fields.map(({ path, type, isRequired, description, rules }) => {
    const marked = isRequired === (mark === 'required') && html` <strong>${mark}</strong>`
    const sentences = [description, ...rules].filter((text) => text !== '').map(asSentence)
    return [
      html`<code>${path}</code><br><span class="quiet">${type}</span>${marked}`,
      html`${raw(sentences.join(' '))}`,
    ]
  })
  return table(label, ['Field', 'Description'], rows)
}

/** A block of code, which scrolls inside itself. */
export function code(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}

function asSentence(text: string): string {
  return `${renderInline(text.replace(/\.$/, ''))}.`
}
