/** A guide: a published file, most of them in docs/use. */
export interface Guide {
  /** The name of its file without `.md`, and of its page below /docs. */
  slug: string
  /** The name in lists; its heading may be longer. */
  name: string
  /** Its content, in one sentence. */
  about: string
  /** Its file, if it is not docs/use/<slug>.md; relative to docs. */
  file?: string
}

/** The published guides by section, in the listed order. Guides for maintainers are not published. */
export const GUIDES = {
  Start: [
    {
      slug: 'quickstart',
      name: 'Quick start',
      about: 'Register an agent, report what it does, read its trust score and receive a signed webhook.',
    },
  ],
  Build: [
    {
      slug: 'api',
      name: 'API',
      about: 'Credentials, limits, errors, idempotency, rules for text and metadata, and the typed client.',
    },
    {
      slug: 'cli',
      name: 'Command line and MCP',
      about: 'Agents, reports, webhooks and verification from a terminal, and tools for language models.',
      file: '../packages/cli/README.md',
    },
    {
      slug: 'webhooks',
      name: 'Webhooks',
      about: 'Platforms, event types, signatures, retries, and how to send events again.',
    },
    {
      slug: 'signed-requests',
      name: 'Signed requests',
      about:
        'How agents sign their HTTP requests, and how Hono, Express, Workers and MCP servers verify them.',
    },
    {
      slug: 'receivers',
      name: 'Webhook receivers',
      about: 'Receivers in Python, Go, PHP and TypeScript that verify signatures, to copy.',
    },
  ],
  Concepts: [
    {
      slug: 'verification',
      name: 'What a verification means',
      about: 'What is checked of an agent and its operator, and what may not be concluded from it.',
    },
    {
      slug: 'trust-score',
      name: 'Trust score',
      about: 'How the score is computed, whose reports count how much, and how to recompute it.',
    },
    {
      slug: 'transparency',
      name: 'Transparency log',
      about: 'The signed, append-only log of all that is recorded, and how to verify an agent in it.',
    },
    {
      slug: 'trust-model',
      name: 'What you still have to believe',
      about: 'What the log proves, what it does not, and how it compares with other logs.',
    },
    {
      slug: 'verification-token',
      name: 'Verification token',
      about: 'A signed statement about an agent that can be checked without asking the registry.',
    },
    {
      slug: 'glossary',
      name: 'Glossary',
      about: 'The terms of the API and of these pages.',
      file: 'build/glossary.md',
    },
  ],
} as const satisfies Record<string, readonly Guide[]>

export const ALL_GUIDES: readonly Guide[] = Object.values(GUIDES).flat()

/** The file of a guide below docs/. */
export function guideFile({ slug, file = `use/${slug}.md` }: Guide): string {
  return file
}

/** The path of a guide's page. */
export function guidePath({ slug }: Guide): string {
  return `/docs/${slug}`
}
