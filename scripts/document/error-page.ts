import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts'
import { ERROR_TEXTS } from './error-texts.ts'

/** The page at /docs/errors: what each code means and what to do, each at the anchor of its name. */
export function errorPage(): string {
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[]
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Agent Registry: errors</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <header><a href="/docs">API reference</a></header>
    <main>
      <h1>Errors</h1>
      <p>Every error of the API has the shape of the examples below. Programs look at <code>code</code>, people read <code>message</code>.
        The header <code>Link</code> of each error leads to its code on this page.</p>
      <nav aria-label="Codes">
        <ul>
${codes.map(contentsLine).join('\n')}
        </ul>
      </nav>
${codes.map(section).join('\n')}
    </main>
  </body>
</html>
`
}

function contentsLine(code: ErrorCode): string {
  return `          <li><span>${ERROR_STATUS[code]}</span> <a href="#${code}">${code}</a></li>`
}

function section(code: ErrorCode): string {
  const status = ERROR_STATUS[code]
  const { when, message, means, advice } = ERROR_TEXTS[code]
  const body = JSON.stringify({ error: { code, message, status } }, null, 2)
  return `      <section id="${code}" aria-labelledby="${code}-title">
        <h2 id="${code}-title"><a href="#${code}">${code}</a> <span>${status}</span></h2>
        <p class="when">${escaped(when)}.</p>
        <p>${escaped(means)}</p>
        <h3>What to do</h3>
        <ul>
${advice.map((line) => `          <li>${escaped(line)}</li>`).join('\n')}
        </ul>
        <h3>Example</h3>
        <pre tabindex="0"><code>${escaped(body)}</code></pre>
      </section>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
