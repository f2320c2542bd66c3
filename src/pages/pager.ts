import type { Ctx } from '../http/context.ts'
import { count, type Html, html } from './html.ts'

/** The range of items that a page of a list shows, with links to the next pages; empty if there is only one page. */
export function pager(
  c: Ctx,
  { page, per_page }: { page: number; per_page: number },
  total: number,
): Html | '' {
  const pages = Math.ceil(total / per_page)
  if (pages <= 1 && page === 1) return ''
  const first = (page - 1) * per_page + 1
  const isBeyond = first > total
  const shown = isBeyond
    ? `Page ${count(page)} is beyond the last page.`
    : `${count(first)}–${count(Math.min(total, page * per_page))} of ${count(total)}`
  return html`<nav class="split" aria-label="Pages"><span class="quiet">${shown}</span>
<ul class="plain">${page > 1 && html`<li><a rel="prev" href="${pageOf(c, Math.min(page - 1, Math.max(pages, 1)))}">${isBeyond ? 'Last page' : 'Previous'}</a></li>`}${
    page < pages && html`<li><a rel="next" href="${pageOf(c, page + 1)}">Next</a></li>`
  }</ul></nav>`
}

/** The URL of this request with another page number. */
function pageOf(c: Ctx, page: number): string {
  const url = new URL(c.req.url)
  url.searchParams.set('page', String(page))
  return url.pathname + url.search
}
