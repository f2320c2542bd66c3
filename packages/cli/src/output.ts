import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Prints to a stream of the process. */
export interface Printer {
  style(format: Format, text: string): string
  line(text?: string): void
}

export interface Output {
  /** Only data. */
  out: Printer
  /** Progress, notes and errors. */
  err: Printer
  /** Whether data is printed as JSON. */
  isJson: boolean
  /** Prints data as JSON, or with `show`. */
  data(value: unknown, show: (out: Printer) => void): void
}

// Texts of other people may contain control sequences for the terminal.
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Removes control characters from a text. */
export function plain(text: string): string {
  return text.replace(CONTROL, '\u{fffd}')
}

/**
 * Creates the output of a command.
 *
 * @param wantsColor false for `--no-color`
 */
export function makeOutput({ isJson, wantsColor }: { isJson: boolean; wantsColor: boolean }): Output {
  const out = printerOf(process.stdout, wantsColor)
  return {
    out,
    err: printerOf(process.stderr, wantsColor),
    isJson,
    data(value, show) {
      if (isJson) out.line(JSON.stringify(value, null, 2))
      else show(out)
    },
  }
}

function printerOf(stream: NodeJS.WriteStream, wantsColor: boolean): Printer {
  const isColored = stream.isTTY && wantsColor && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  return {
    style: (format, text) => (isColored ? styleText(format, text, { validateStream: false }) : text),
    line: (text = '') => void stream.write(`${text}\n`),
  }
}

export type Cell = string | number | boolean | null | undefined

/** Prints a table with aligned columns, or `empty` if there are no rows. */
export function printTable(
  out: Printer,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): void {
  if (rows.length === 0) {
    out.line(empty)
    return
  }
  const texts = rows.map((row) => row.map(shown))
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...texts.map((row) => row[column] ?? '')].map(widthOf)),
  )
  const toLine = (cells: readonly string[]) =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  out.line(out.style('dim', toLine(headings)))
  for (const row of texts) out.line(toLine(row))
}

/** Prints names with their values, one per line. */
export function printFacts(out: Printer, facts: readonly (readonly [name: string, value: Cell])[]): void {
  const width = Math.max(...facts.map(([name]) => widthOf(name)))
  for (const [name, value] of facts) out.line(`${out.style('dim', padded(name, width))}  ${shown(value)}`)
}

function shown(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–'
  return plain(String(value))
}

function widthOf(text: string): number {
  return [...text].length
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text))
}

/** A count with its noun, such as `1 event` or `2,000 events`. */
export function many(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
}
