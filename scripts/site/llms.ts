import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { GUIDES, guidePath } from './guides.ts'

/**
 * The list of these pages for language models, with absolute URLs.
 *
 * Source: https://llmstxt.org
 */
export function llmsText(): string {
  const link = (name: string, path: string, about: string) =>
    `- [${name}](${BASE_URL_PLACEHOLDER}${path}): ${about}`
  const guides = Object.entries(GUIDES).map(([section, list]) => {
    const lines = list.map((guide) => link(guide.name, `${guidePath(guide)}.md`, guide.about))
    return `## ${section}\n\n${lines.join('\n')}`
  })
  const reference = [
    link('OpenAPI document', '/api/v1/openapi.json', 'Every operation, OpenAPI 3.1, as JSON.'),
    link('Event types', '/api/v1/event-types', 'The webhook events, each with JSON Schema and an example.'),
    link('API reference', '/docs/reference', 'The operations as pages, in HTML.'),
    link('Errors', '/docs/errors', 'What each error code means and what to do, in HTML.'),
  ]
  return `# Agent Registry

> A public register of software agents. Each agent has a permanent number, an operator who is responsible for it, an append-only log of what it did, and a trust score that anyone can recompute from that log.

The API is REST with JSON below ${BASE_URL_PLACEHOLDER}/api/v1. Public reads need no credential. Programs report with an API key as Bearer token. Names, descriptions and links of an agent are claims of its operator; fields say what was checked.

${guides.join('\n\n')}

## Reference

${reference.join('\n')}
`
}
