/** Requests per minute; `whenDown` is what happens while Redis cannot be asked. */
export const POLICIES = {
  public: { limit: 120, whenDown: 'pass' },
  log: { limit: 600, whenDown: 'pass' },
  badge: { limit: 3000, whenDown: 'pass' }, // hosts of READMEs fetch those of all their readers
  'sign-in': { limit: 10, whenDown: 'reject' },
  unsubscribe: { limit: 120, whenDown: 'pass' }, // by its link: mail services call those of all their readers
  session: { limit: 120, whenDown: 'pass' },
  key: { limit: 60, whenDown: 'pass' },
  strict: { limit: 10, whenDown: 'reject' },
} as const satisfies Record<string, { limit: number; whenDown: 'pass' | 'reject' }>

export type Policy = keyof typeof POLICIES

/** Those that count a caller by its address. */
export type AddressPolicy = 'public' | 'log' | 'badge' | 'sign-in'

/** The limiter's response for one request: `reset` in Unix milliseconds; `used` null when Redis was silent. */
export interface RateLimit {
  policy: Policy
  limit: number
  used: number | null
  reset: number
}
