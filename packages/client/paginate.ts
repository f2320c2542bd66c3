import { unwrap } from './errors.ts'

/** The common fields of all lists; each route has one of the two kinds of paging. */
interface Page {
  data: unknown[]
  pagination?: { page: number; total_pages: number }
  next_cursor?: string | null
}

interface Init {
  params?: { path?: object; query?: object }
  signal?: AbortSignal
}

/** Fetches one page. */
type GetPage = (path: string, init: Init) => Promise<{ data?: Page; error?: unknown; response: Response }>

/**
 * Iterates over the items of a list, page by page: by cursor if the response has one, else by page number.
 *
 * @throws RegistryError for an error response
 */
export async function* paginate(get: GetPage, path: string, init: Init = {}): AsyncGenerator<unknown, void> {
  for (let place = {}; ; ) {
    const query = { ...init.params?.query, ...place }
    const body = await unwrap(get(path, { ...init, params: { ...init.params, query } }))
    yield* body.data
    const { next_cursor: cursor, pagination } = body
    if (typeof cursor === 'string') place = { cursor }
    else if (cursor === undefined && pagination && pagination.page < pagination.total_pages)
      place = { page: pagination.page + 1 }
    else return
  }
}
