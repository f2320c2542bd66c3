import { readFileSync } from 'node:fs'
import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { html, raw } from '../../src/pages/html.ts'
import { layout } from '../../src/pages/layout.ts'

const MAIN = new URL('./transparency.html', import.meta.url)

/** The page /transparency, whose script verifies an agent's entries in the log. */
export async function logPage(): Promise<string> {
  const head = html`<link rel="stylesheet" href="/ui/transparency.css">
<script src="/ui/transparency.js" type="module"></script>`
  const page = {
    title: 'Transparency log',
    description: 'Verify in the browser that nothing recorded of an agent was changed.',
    path: '/transparency',
    head,
    main: raw(readFileSync(MAIN, 'utf8')),
  }
  return String(await layout(BASE_URL_PLACEHOLDER, page))
}
