import { html } from 'hono/html'

type Html = ReturnType<typeof html>

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5d6778; --line: #d9dee7; --paper: #fff; --ground: #f3f5f9; --accent: #2450c8; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebf2; --soft: #9aa5b8; --line: #343c4b; --paper: #1b212c; --ground: #11151c; --accent: #86a8ff; --bad: #ff8a80 }
}
* { box-sizing: border-box }
body { margin: 0; padding: 12vh 1rem 3rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 25rem; margin: auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere }
main.wide { max-width: 44rem }
body:has(main.wide) { padding-top: 3rem }
h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.3 }
p { margin: 0 0 1rem }
p:last-child { margin-bottom: 0 }
small, .soft { color: var(--soft); font-size: .875rem }
a { color: var(--accent) }
label { display: block; margin: 1.25rem 0 .35rem; font-weight: 600; font-size: .875rem }
input, select { width: 100%; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: inherit; font: inherit }
select { text-overflow: ellipsis }
input[aria-invalid] { border-color: var(--bad) }
button { width: 100%; margin: 1rem 0; padding: .65rem; border: 0; border-radius: 8px; background: var(--accent); color: var(--paper); font: inherit; font-weight: 600; cursor: pointer }
button.bare { background: none; border: 1px solid var(--line); color: inherit }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.bad { color: var(--bad); font-size: .875rem; margin: .35rem 0 0 }
ul { list-style: none; margin: 1.25rem 0 0; padding: 0 }
li { display: flex; flex-wrap: wrap; gap: .1rem 1rem; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line) }
pre { flex-basis: 100%; margin: .5rem 0 0; white-space: pre-wrap; font: .8125rem/1.5 ui-monospace, monospace }
details { flex-basis: 100%; color: var(--soft); font-size: .875rem }
li span { flex: 1 1 18rem }
`

/** Blocks scripts and resources of other origins, whatever a page contains. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/**
 * A complete page of the provider.
 *
 * @param title the heading; escaped
 * @param body an `html` template, which escapes its values
 * @param width `wide` for lists
 * @param site follows the heading in the title
 */
export function page(
  title: string,
  body: Html,
  width: 'narrow' | 'wide' = 'narrow',
  site = 'Local sign-in',
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${site}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body><main class="${width}"><h1>${title}</h1>${body}</main></body>
</html>`
}
