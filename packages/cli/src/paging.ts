import { type Command, InvalidArgumentError } from 'commander'
import { type Schemas, unwrap } from '../../client/index.ts'
import { action, type Context } from './context.ts'
import { type Cell, printTable } from './output.ts'

const PER_PAGE = 50

type Pagination = Schemas['Pagination']
type Query = Pick<Pagination, 'page' | 'per_page'>

interface Page<Entry> {
  data: readonly Entry[]
  pagination?: Pagination
}

/** The cell of an entry by the heading of its column. */
type Columns<Entry> = Readonly<Record<string, (entry: Entry) => Cell>>

/**
 * Adds the option `--page` and the action to a command that lists something.
 *
 * @param read requests a page; receives the arguments and options of the command
 * @param empty what is printed if the list is empty
 */
export function addList<Entry, Args extends unknown[]>(
  command: Command,
  read: (
    context: Context,
    query: Query,
    ...args: Args
  ) => Promise<{ data?: Page<Entry>; error?: unknown; response: Response }>,
  columns: Columns<Entry>,
  empty: string,
): void {
  command.option('--page <number>', 'the page number; a page has 50 entries', readCount, 1).action(
    action(async (context: Context, ...args: Args) => {
      const { data, err, isJson } = context
      const { page } = args.at(-1) as { page: number } // commander passes the options last
      const found = await unwrap(read(context, { page, per_page: PER_PAGE }, ...args))
      const { total_pages: last, total } = found.pagination ?? { total_pages: 1, total: 0 }
      const rows = found.data.map((entry) => Object.values(columns).map((cellOf) => cellOf(entry)))
      const none = page > last && last > 0 ? `Page ${page} is beyond the last page, ${last}.` : empty
      data(found, (out) => printTable(out, Object.keys(columns), rows, none))
      if (isJson || page >= last) return
      err.line(err.style('dim', `page ${page} of ${last}, ${total} in all: --page ${page + 1} shows more`))
    }),
  )
}

/** Reads a positive whole number. */
export function readCount(word: string): number {
  if (/^[1-9]\d{0,5}$/.test(word)) return Number(word)
  throw new InvalidArgumentError('must be a whole number from 1 to 999999')
}
