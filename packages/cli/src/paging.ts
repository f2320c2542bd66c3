import { type Command, InvalidArgumentError } from 'commander'
import type { Output } from './output.ts'

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

/** Prints that there are more pages. */
export function tellMore({ err, isJson }: Output, { page, total, total_pages }: Pagination): void {
  if (isJson || page >= total_pages) return
  err.line(err.style('dim', `page ${page} of ${total_pages}, ${total} in all: --page ${page + 1} shows more`))
}

/** Reads a positive whole number. */
export function readCount(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw new InvalidArgumentError('must be a whole number of at least 1')
}
