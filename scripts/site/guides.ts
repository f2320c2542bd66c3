/** A page that the lists of the site name. */
export interface Entry {
  path: string
  name: string
  /** Its content, in one sentence. */
  about: string
}

/** A page made from a Markdown file. */
export interface Guide extends Entry {
  /** Its source, relative to the root of the repository. */
  file: string
}

const guide = (slug: string, name: string, about: string, file = `docs/use/${slug}.md`): Guide => ({
  path: `/docs/${slug}`,
  name,
  about,
  file,
})
const operate = (slug: string, name: string, about: string) =>
  guide(slug, name, about, `docs/operate/${slug}.md`)
const build = (slug: string, name: string, about: string) => guide(slug, name, about, `docs/build/${slug}.md`)

/** The path of the API reference. */
export const REFERENCE = '/docs/reference'
export const EVENTS_PATH = `${REFERENCE}/webhook-events`

/** The pages of the documentation by reader, in the listed order. */
export const READERS: Record<string, readonly (Entry | Guide)[]> = {
  'Use the registry': [
    guide('quickstart', 'Quick start', 'From a sign-in to a trust score and a signed webhook.'),
    guide('verification', 'What a verification means', 'What is checked, and what may not be concluded.'),
    guide('trust-score', 'Trust score', 'Whose reports count how much, and how to recompute the score.'),
    guide(
      'transparency',
      'Transparency log',
      'The signed, append-only log, and how to verify an agent in it.',
    ),
    guide('trust-model', 'What you still have to believe', 'What the log proves, and what it does not.'),
    guide('verification-token', 'Verification token', 'A statement that needs no request to the registry.'),
    guide(
      'signed-requests',
      'Signed requests',
      'How agents sign their HTTP requests, and who verifies them.',
    ),
    guide('webhooks', 'Webhooks', 'Platforms, event types, signatures, retries, and redelivery.'),
    guide('receivers', 'Webhook receivers', 'Receivers in Python, Go, PHP, and TypeScript, to copy.'),
    guide(
      'webhooks-package',
      'Webhooks package',
      'Verifies and types webhooks.',
      'packages/webhooks/README.md',
    ),
    guide('client', 'Client package', 'The typed client of the API.', 'packages/client/README.md'),
    guide(
      'verify',
      'Verify package',
      'Scores, tokens, and the log in programs.',
      'packages/verify/README.md',
    ),
    guide('cli', 'Command line', 'The registry from a terminal.', 'packages/cli/README.md'),
    guide('mcp', 'MCP server', 'Tools with which language models look up and verify agents.'),
    guide('api', 'API', 'Credentials, limits, errors, idempotency, and rules for text and metadata.'),
    {
      path: REFERENCE,
      name: 'API reference',
      about: 'Every operation: parameters, fields, examples, errors.',
    },
    {
      path: EVENTS_PATH,
      name: 'Webhook events',
      about: 'The fields of each type of event, with an example.',
    },
    { path: '/docs/errors', name: 'Errors', about: 'What each error code means, and what to do.' },
    build('glossary', 'Glossary', 'The terms of the API and of these pages.'),
  ],
  'Run a registry': [
    operate('deploy', 'Deploy', 'From accounts and settings to a checked deployment.'),
    operate('runbook', 'Runbook', 'Signals, outages, restores, and migrations.'),
    operate('removals', 'Remove data', 'Redactions, withheld texts, and the erasure of a person.'),
    operate('secrets', 'Secrets', 'Every secret of a deployment, and how to rotate it.'),
    operate('performance', 'Performance', 'How fast it is, how far it scales, and what faults do.'),
    operate('cost', 'Cost', 'What a deployment costs per month, by size.'),
  ],
  Contribute: [
    guide('contributing', 'Contributing', 'Set up, test, and the rules of the code.', 'CONTRIBUTING.md'),
    build('architecture', 'Architecture', 'The path of a request, the folders, and the data model.'),
    build('decisions', 'Decisions', 'Why it is built this way.'),
    build('local-stack', 'Local stack', 'The whole service on one machine, with stand-ins.'),
    guide('security', 'Security', 'How to report a vulnerability, and the threat model.', 'SECURITY.md'),
  ],
}

/** All guides. */
export const GUIDES = Object.values(READERS)
  .flat()
  .filter((entry): entry is Guide => 'file' in entry)
