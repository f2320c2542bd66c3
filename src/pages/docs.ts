import { Hono } from 'hono'
import { ASSETS, findAsset, readAsset } from '../api/assets.ts'
import { ApiError } from '../errors.ts'
import { tagged } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import { findSections, RESULTS_MARKER, resultsOf, type Section } from './docs-search.ts'
import { html } from './html.ts'
import { HTML, publicPage, withPolicy } from './respond.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const QUERY_MAX = 100

/** The documentation and the page of the log: files of the build, with the URL of this registry in their commands. */
export const docsPages = new Hono<App>()
  .get('/docs/search', ...publicPage(), async (c) => {
    const query = (c.req.query('q') ?? '').trim().slice(0, QUERY_MAX)
    const sections: Section[] = JSON.parse(await readAsset(c, ASSETS.search))
    const results = String(await resultsOf(findSections(sections, query), query))
    const value = String(await html`name="q" value="${query}"`)
    const page = await readAsset(c, '/docs/search.html')
    return send(
      c,
      page.replace('name="q"', () => value).replace(RESULTS_MARKER, () => results),
    )
  })
  .get('/docs/*', ...publicPage(), async (c) => {
    const path = c.req.path.replace(/\/$/, '')
    const isMarkdown = path.endsWith('.md')
    const text = await findAsset(c, isMarkdown ? path : `${path}.html`)
    if (text === null) throw new ApiError('NOT_FOUND', 'there is no such page in the documentation')
    return isMarkdown ? tagged(c, text, text, MARKDOWN) : send(c, text)
  })
  .get('/transparency', ...publicPage(), async (c) =>
    send(c, await readAsset(c, '/transparency.html'), { fetches: true }),
  )

async function send(c: Ctx, text: string, { fetches = false } = {}) {
  return withPolicy(await tagged(c, text, text, HTML), { fetches })
}
