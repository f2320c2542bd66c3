import { type Command, InvalidArgumentError } from 'commander'
import type { Output } from './output.ts'

const PER_PAGE = 50

interface Pagination {
  page: number
  per_page: number
  total: number
  total_pages: number
}

/** Gives a list its `--page`. */
export function addPage(command: Command): Command {
  return command.option('--page <number>', 'which page, of 50 each', readCount, 1)
}

/** The query of a page. */
export function pageOf({ page }: { page: number }) {
  return { page, per_page: PER_PAGE }
}

/** Tells a person that there is more. */
export function tellMore({ err, isJson }: Output, { page, total, total_pages }: Pagination): void {
  if (isJson || page >= total_pages) return
  err.line(err.style('dim', `page ${page} of ${total_pages}, ${total} in all: --page ${page + 1} shows more`))
}

/** Reads a whole number from 1 on. */
export function readCount(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw new InvalidArgumentError('must be a whole number of at least 1')
}
