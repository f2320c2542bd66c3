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

/** The path of the API reference. */
export const REFERENCE = '/docs/reference'
export const EVENTS_PATH = `${REFERENCE}/webhook-events`

/** The pages of the documentation by reader, in the listed order. */
export const READERS: Record<string, readonly (Entry | Guide)[]> = {
  'Use the registry': [
    guide(
      'quickstart',
      'Quick start',
      'Register an agent, report what it does, read its trust score and receive a signed webhook.',
    ),
    guide(
      'verification',
      'What a verification means',
      'What is checked of an agent and its operator, and what may not be concluded from it.',
    ),
    guide(
      'trust-score',
      'Trust score',
      'How the score is computed, whose reports count how much, and how to recompute it.',
    ),
    guide(
      'transparency',
      'Transparency log',
      'The signed, append-only log of all that is recorded, and how to verify an agent in it.',
    ),
    guide(
      'trust-model',
      'What you still have to believe',
      'What the log proves, what it does not, and how it compares with other logs.',
    ),
    guide(
      'verification-token',
      'Verification token',
      'A signed statement about an agent that can be checked without asking the registry.',
    ),
    guide(
      'signed-requests',
      'Signed requests',
      'How agents sign their HTTP requests, and how Hono, Express, Workers and MCP servers verify them.',
    ),
    guide(
      'webhooks',
      'Webhooks',
      'Platforms, event types, signatures, retries, and how to send events again.',
    ),
    guide(
      'receivers',
      'Webhook receivers',
      'Receivers in Python, Go, PHP and TypeScript that verify signatures, to copy.',
    ),
    guide(
      'webhooks-package',
      'Webhooks package',
      'Webhooks verified and typed in TypeScript and JavaScript.',
      'packages/webhooks/README.md',
    ),
    guide(
      'cli',
      'Command line',
      'Agents, reports, webhooks and verification from a terminal.',
      'packages/cli/README.md',
    ),
    guide(
      'client',
      'Client package',
      'The typed client of the API for TypeScript and JavaScript.',
      'packages/client/README.md',
    ),
    guide(
      'verify',
      'Verify package',
      'Scores, tokens, signed requests, and the log, verified in a program.',
      'packages/verify/README.md',
    ),
    guide('mcp', 'MCP server', 'Tools with which language models look up and verify agents.'),
    guide(
      'api',
      'API',
      'Credentials, limits, errors, idempotency, rules for text and metadata, and the typed client.',
    ),
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
    guide('glossary', 'Glossary', 'The terms of the API and of these pages.', 'docs/build/glossary.md'),
  ],
  'Run a registry': [
    guide(
      'deploy',
      'Deploy',
      'From accounts and settings to a checked deployment.',
      'docs/operate/deploy.md',
    ),
    guide(
      'runbook',
      'Runbook',
      'What each signal means and what to do: outages, restores, migrations, redactions.',
      'docs/operate/runbook.md',
    ),
    guide(
      'secrets',
      'Secrets',
      'Every secret of a deployment, what it protects, and how to rotate it.',
      'docs/operate/secrets.md',
    ),
    guide(
      'performance',
      'Performance',
      'How fast it is, how far it scales, and how it behaves under faults.',
      'docs/operate/performance.md',
    ),
    guide('cost', 'Cost', 'What a deployment costs per month, by size.', 'docs/operate/cost.md'),
  ],
  Contribute: [
    guide('contributing', 'Contributing', 'Set up, test, and the rules of the code.', 'CONTRIBUTING.md'),
    guide(
      'architecture',
      'Architecture',
      'The path of a request, the folders, and the data model.',
      'docs/build/architecture.md',
    ),
    guide('decisions', 'Decisions', 'Why it is built this way.', 'docs/build/decisions.md'),
    guide(
      'local-stack',
      'Local stack',
      'The whole service on one machine, with stand-ins.',
      'docs/build/local-stack.md',
    ),
    guide('security', 'Security', 'How to report a vulnerability, and the threat model.', 'SECURITY.md'),
  ],
}

/** All guides. */
export const GUIDES = Object.values(READERS)
  .flat()
  .filter((entry): entry is Guide => 'file' in entry)
