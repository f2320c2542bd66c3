import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { READERS } from './guides.ts'

/**
 * The list of these pages for language models, with absolute URLs.
 *
 * Source: https://llmstxt.org
 */
export function llmsText(): string {
  const link = (name: string, path: string, about: string) =>
    `- [${name}](${BASE_URL_PLACEHOLDER}${path}): ${about}`
  const sections = Object.entries(READERS).map(([reader, entries]) => {
    const lines = entries.map((entry) =>
      link(entry.name, 'file' in entry ? `${entry.path}.md` : entry.path, entry.about),
    )
    return `## ${reader}\n\n${lines.join('\n')}`
  })
  const data = [
    link('OpenAPI document', '/api/v1/openapi.json', 'Every operation, OpenAPI 3.1, as JSON.'),
    link('Event types', '/api/v1/event-types', 'The webhook events, each with JSON Schema and an example.'),
  ]
  return `# Agent Registry

> A public register of software agents. Each agent has a permanent number, an operator who is responsible for it, an append-only log of what it did, and a trust score that anyone can recompute from that log.

The API is REST with JSON below ${BASE_URL_PLACEHOLDER}/api/v1. Public reads need no credential. Programs report with an API key as Bearer token. Names, descriptions and links of an agent are claims of its operator; fields say what was checked.

${sections.join('\n\n')}

## Data

${data.join('\n')}
`
}
