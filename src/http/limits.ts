/** Requests per minute; `whenDown` is what happens while Redis is unavailable. */
export const POLICIES = {
  public: { limit: 120, whenDown: 'pass' },
  log: { limit: 600, whenDown: 'pass' },
  badge: { limit: 3000, whenDown: 'pass' }, // hosts of READMEs fetch badges for all their readers from few addresses
  'sign-in': { limit: 10, whenDown: 'reject' },
  unsubscribe: { limit: 120, whenDown: 'pass' }, // counted per link: mail services call links of many readers
  refused: { limit: 120, whenDown: 'pass' }, // requests with an invalid signature at /internal
  session: { limit: 120, whenDown: 'pass' },
  key: { limit: 60, whenDown: 'pass' },
  strict: { limit: 10, whenDown: 'reject' },
  'strict-read': { limit: 30, whenDown: 'pass' },
} as const satisfies Record<string, { limit: number; whenDown: 'pass' | 'reject' }>

export type Policy = keyof typeof POLICIES

export type AddressPolicy = 'public' | 'log' | 'badge' | 'sign-in' | 'refused'

export type SessionPolicy = 'session' | 'strict' | 'strict-read'

/** The rate limit of one request: `reset` in Unix milliseconds; `used` null if Redis did not respond. */
export interface RateLimit {
  policy: Policy
  limit: number
  used: number | null
  reset: number
}
