import { requireCaller } from '../credentials/authorize.ts'
import { sumUp } from '../operators/store.ts'
import { count, html } from '../pages/html.ts'
import { consolePages } from './router.ts'
import { show } from './shell.ts'

/** The first page after a sign-in. */
export const overviewPages = consolePages().page('/console', async (c) => {
  const sums = await sumUp(c.get('db'), requireCaller(c).operator_id, c.get('now')())
  const shown = [
    ['Tasks completed', sums.tasks_completed],
    ['Tasks failed', sums.tasks_failed],
  ] as const
  return show(c, {
    title: 'Overview',
    main: html`<h1>Overview</h1>
<dl class="sums">${shown.map(([label, n]) => html`<div><dt>${label}</dt><dd>${count(n)}</dd></div>`)}</dl>`,
  })
})
