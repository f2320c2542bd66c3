export const SLUG_MIN = 2
export const SLUG_MAX = 50

/** What a slug is made of; its length is judged apart. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Our own paths and names, which a platform must not seem to be. */
const RESERVED = new Set([
  ...['about', 'account', 'activity', 'admin', 'agent', 'agents', 'agent-registry', 'api', 'assets', 'audit'],
  ...['auth', 'badge', 'badges', 'blog', 'console', 'dashboard', 'docs', 'errors', 'event-types', 'favicon'],
  ...[
    'health',
    'help',
    'home',
    'incidents',
    'internal',
    'kyc',
    'log',
    'login',
    'logout',
    'mail',
    'me',
    'new',
  ],
  ...[
    'null',
    'official',
    'openapi',
    'operator',
    'operators',
    'ownership',
    'platform',
    'platforms',
    'privacy',
  ],
  ...['ready', 'reg', 'registry', 'robots', 'root', 'search', 'security', 'settings', 'sign-in', 'sign-out'],
  ...['static', 'status', 'support', 'system', 'terms', 'trust', 'trust-score', 'undefined', 'v1', 'verify'],
  ...['webhook', 'webhooks', 'well-known', 'www'],
])

/** Whether a slug is kept for the service itself. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug)
}
