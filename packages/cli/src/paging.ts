import { type Command, InvalidArgumentError } from 'commander'
import { type Cell, type Output, printTable } from './output.ts'

const PER_PAGE = 50

interface Pagination {
  page: number
  per_page: number
  total: number
  total_pages: number
}

/** Adds the option `--page` to a list. */
export function addPage(command: Command): Command {
  return command.option('--page <number>', 'the page number; a page has 50 entries', readCount, 1)
}

/** The query of a page. */
export function pageOf({ page }: { page: number }) {
  return { page, per_page: PER_PAGE }
}

/**
 * Prints a page of a list: as a table, or as JSON.
 *
 * @param columns the cell of an entry by the heading of its column
 * @param empty what is printed if the list is empty
 */
export function printPage<Entry>(
  { data, err, isJson }: Output,
  page: { data: readonly Entry[]; pagination?: Pagination },
  columns: Readonly<Record<string, (entry: Entry) => Cell>>,
  empty: string,
): void {
  const { page: number, total_pages: last, total } = page.pagination ?? { page: 1, total_pages: 1, total: 0 }
  const rows = page.data.map((entry) => Object.values(columns).map((cellOf) => cellOf(entry)))
  const none = number > last && last > 0 ? `Page ${number} is beyond the last page, ${last}.` : empty
  data(page, (out) => printTable(out, Object.keys(columns), rows, none))
  if (isJson || number >= last) return
  err.line(err.style('dim', `page ${number} of ${last}, ${total} in all: --page ${number + 1} shows more`))
}

/** Reads a positive whole number. */
export function readCount(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw new InvalidArgumentError('must be a whole number of at least 1')
}
