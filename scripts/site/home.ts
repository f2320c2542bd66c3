import { html } from '../../src/pages/html.ts'
import { type Entry, READERS } from './guides.ts'
import { anchorOf } from './markdown.ts'
import type { Page } from './page.ts'

const TOOLS: readonly Entry[] = [
  {
    path: '/transparency',
    name: 'Verify an agent',
    about: 'Check its entries in the transparency log, in the browser.',
  },
  {
    path: '/api/v1/openapi.json',
    name: 'OpenAPI document',
    about: 'The API for programs and generators, OpenAPI 3.1.',
  },
  { path: '/llms.txt', name: 'llms.txt', about: 'These pages as Markdown, listed for language models.' },
]

/** The page /docs: where to start, and all guides. */
export function homePage(): Page {
  return {
    path: '/docs',
    title: 'Documentation',
    description: 'Guides and reference of the Agent Registry: start here.',
    body: html`<p>Agent Registry is a public register of software agents. Each agent has a permanent number, an operator who answers for it,
an append-only log, and a trust score that anyone can recompute from that log.</p>
<h2 id="start"><a href="#start">Start here</a></h2>
<ol class="start">
<li><a href="/docs/verification">What it is</a>: what the registry checks of an agent, and what may not be concluded from it.</li>
<li><a href="/docs/quickstart">Quick start</a>: from a sign-in to a score and a signed webhook, in ten commands.</li>
<li>Concepts: <a href="/docs/trust-score">how the score is computed</a>, <a href="/docs/transparency">how the log is
verified</a>, and <a href="/docs/glossary">what the terms mean</a>.</li>
</ol>
${Object.entries({ ...READERS, Tools: TOOLS }).map(
  ([name, entries]) =>
    html`<h2 id="${anchorOf(name)}"><a href="#${anchorOf(name)}">${name}</a></h2>
<ul class="cards">${entries.map(
      ({ path, name, about }) => html`<li class="card"><a href="${path}">${name}</a><p>${about}</p></li>`,
    )}</ul>`,
)}`,
  }
}
