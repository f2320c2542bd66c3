/** Published prices beyond what a plan includes, in dollars; the smallest paid plan of each service. */
export const PRICES = {
  worker_request: {
    dollars: 0.3 / 1e6,
    says: 'Workers Standard: $0.30 per million requests; subrequests and static assets are free',
    source: 'https://developers.cloudflare.com/workers/platform/pricing/',
    dated: 'undated copy, read 2026-11-22',
  },
  worker_ms: {
    dollars: 0.02 / 1e6,
    says: 'Workers Standard: $0.02 per million ms of CPU time; data transfer to callers is free',
    source: 'https://developers.cloudflare.com/workers/platform/pricing/',
    dated: 'undated copy, read 2026-11-22',
  },
  cu_hour: {
    dollars: 0.106,
    says: 'Neon Launch: $0.106 per CU-hour',
    source: 'https://neon.com/docs/introduction/plans',
    dated: 'updated 2026-11-12',
  },
  postgres_byte: {
    dollars: 0.1 / 1e9,
    says: 'Neon Launch: $0.10 per GB sent over the public network, after 100 GB per month',
    source: 'https://neon.com/docs/introduction/plans',
    dated: 'updated 2026-03-20†',
  },
  redis_command: {
    dollars: 0.2 / 1e5,
    says: 'Upstash Redis, pay as you go: $0.20 per 100,000 commands; commands that a script runs are counted, too (second page)',
    source: 'https://upstash.com/pricing/redis, https://upstash.com/docs/redis/sdks/ratelimit-ts/costs',
    dated: 'captured 2026-11-09; the second page is undated',
  },
  qstash_message: {
    dollars: 1 / 1e5,
    says: 'Upstash QStash, pay as you go: $1 per 100,000 messages',
    source: 'https://upstash.com/pricing/qstash',
    dated: 'undated copy, read 2026-11-22',
  },
} as const satisfies Record<string, { dollars: number; says: string; source: string; dated: string }>

const MS_PER_HOUR = 3_600_000
/** The share of the paid CPU time that is used: Neon scales a compute up before it is fully used†. */
const BUSY_SHARE = 0.5
/** The smallest compute, which the jobs of each minute keep active. */
const SMALLEST_CU = 0.25
const HOURS_PER_MONTH = 730
export const MINUTES_PER_MONTH = 60 * HOURS_PER_MONTH

/** The usage of a call. */
export interface Usage {
  worker_requests: number
  /** CPU time of the Worker. */
  worker_ms: number
  statements: number
  /** CPU time of all processes of Postgres. */
  postgres_ms: number
  /** Size of the responses of Neon's endpoint. */
  postgres_bytes: number
  redis_commands: number
  qstash_messages: number
  /** Size of the responses to callers. */
  bytes_out: number
}

/** A CU is one CPU†: milliseconds of Postgres in CU-hours. */
const cuHours = (postgresMs: number) => postgresMs / MS_PER_HOUR / BUSY_SHARE

/** The cost of a usage in dollars, by resource. */
export function dollarsOf(usage: Usage): Record<keyof typeof PRICES, number> {
  return {
    worker_request: usage.worker_requests * PRICES.worker_request.dollars,
    worker_ms: usage.worker_ms * PRICES.worker_ms.dollars,
    cu_hour: cuHours(usage.postgres_ms) * PRICES.cu_hour.dollars,
    postgres_byte: usage.postgres_bytes * PRICES.postgres_byte.dollars,
    redis_command: usage.redis_commands * PRICES.redis_command.dollars,
    qstash_message: usage.qstash_messages * PRICES.qstash_message.dollars,
  }
}

export const sumOf = (dollars: Record<string, number>) =>
  Object.values(dollars).reduce((sum, one) => sum + one, 0)

/** The monthly cost of the smallest compute if it is never suspended. */
export const awakeDollars = SMALLEST_CU * HOURS_PER_MONTH * PRICES.cu_hour.dollars
