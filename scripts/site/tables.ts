import { type Html, html, raw } from '../../src/pages/html.ts'
import { table } from '../../src/pages/table.ts'
import type { Field } from './fields.ts'
import { renderInline } from './markdown.ts'

/** Which fields are marked: the required ones of a request, or the optional ones of a response. */
type Mark = 'required' | 'optional'

/** The cells of a row. */
export const rowOf = (cells: readonly Html[]) =>
  html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`

/** A table of fields with their types and rules; empty without fields. */
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
  return table(label, 'Field | Description', rows.map(rowOf))
}

/** A block of code, which scrolls if it is too wide. */
export function code(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}

function asSentence(text: string): string {
  return `${renderInline(text.replace(/\.$/, ''))}.`
}
