import { readFileSync, writeFileSync } from 'node:fs'

const DOCS = new URL('../../docs/', import.meta.url)

/** The text of a page below docs/. */
export function readPage(page: string): string {
  return readFileSync(new URL(page, DOCS), 'utf8')
}

/** The text between the markers `<!-- name … -->` and `<!-- /name -->` of a page. */
export function tableIn(page: string, name: string): string {
  return block(name).exec(page)?.[2] ?? ''
}

/** A table in Markdown; columns of numbers are aligned to the right. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumbers = (n: number) => rows.every((row) => /^(-?[\d.]+( = [\d.]+)?)?$/.test(row[n] ?? ''))
  const rule = head.map((_, n) => (rows.length > 0 && isNumbers(n) ? '---:' : '---'))
  return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/**
 * Compares a table with the one between its markers on a page below docs/; UPDATE_DOCS=true writes it there first.
 *
 * @param table its lines, without a line break at the end
 * @returns the current and the expected page
 * @throws Error when the page has no such markers
 */
export function syncTable(page: string, name: string, table: string): { asIs: string; wanted: string } {
  const asIs = readPage(page)
  if (!block(name).test(asIs)) throw new Error(`docs/${page} has no markers for the table '${name}'`)
  const wanted = asIs.replace(block(name), (_, open, __, close) => `${open}${table}\n${close}`)
  if (process.env.UPDATE_DOCS !== 'true') return { asIs, wanted }
  writeFileSync(new URL(page, DOCS), wanted)
  return { asIs: wanted, wanted }
}

function block(name: string): RegExp {
  return new RegExp(`(<!-- ${name}\\b[^>]*-->\\n)([\\s\\S]*?)(<!-- /${name} -->)`)
}
