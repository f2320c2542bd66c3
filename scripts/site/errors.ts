import { ERROR_STATUS, type ErrorCode, HELP_PATH } from '../../src/errors.ts'
import { type Html, html } from '../../src/pages/html.ts'
import { ERROR_TEXTS } from '../document/error-texts.ts'
import { contentsOf, type Page } from './page.ts'

const CODES = (Object.keys(ERROR_STATUS) as ErrorCode[]).sort()

/** The page that the header Link of errors points to: each code, at the anchor of its name, with its meaning. */
export function errorPage(): Page {
  return {
    path: HELP_PATH,
    title: 'Errors',
    description: 'What each error code of the API means, and what to do about it.',
    contents: contentsOf(CODES.map((code) => ({ depth: 2, text: code, id: code }))),
    body: html`<p>Every error of the API has the shape of the examples below. Programs look at <code>code</code>, people read
<code>message</code>. The header <code>Link</code> of each error leads to its code on this page.</p>
${CODES.map(section)}`,
  }
}

function section(code: ErrorCode): Html {
  const status = ERROR_STATUS[code]
  const { when, message, advice } = ERROR_TEXTS[code]
  return html`<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><a href="#${code}">${code}</a> <span class="quiet">${status}</span></h2>
<p>${when}.</p>
<h3>What to do</h3>
<ul>${advice.map((line) => html`<li>${line}</li>`)}</ul>
<h3>Example</h3>
<pre tabindex="0"><code>${JSON.stringify({ error: { code, message, status } }, null, 2)}</code></pre>
</section>`
}
