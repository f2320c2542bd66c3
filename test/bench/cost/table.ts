import { toTable } from '../../support/docs-table.ts'
import { awakeDollars, dollarsOf, MINUTES_PER_MONTH, PRICES, sumOf, type Usage } from './prices.ts'
import type { Line } from './routes.ts'

const MILLION = 1e6
const HEAD = [
  'request',
  'Worker ms',
  'statements',
  'Postgres ms',
  'KB from Postgres',
  'Redis commands',
  'QStash messages',
  'response bytes',
  '$ per million',
]

/** The usage of each request, and the cost of a million of them beyond the plans; the most expensive first. */
export function costTable(lines: readonly Line[]): string {
  const byCost = lines.toSorted((a, b) => totalOf(b.usage) - totalOf(a.usage))
  return toTable(HEAD, byCost.map(cells))
}

function cells({ name, usage }: Line): string[] {
  const { worker_ms, statements, postgres_ms, postgres_bytes, redis_commands, qstash_messages, bytes_out } =
    usage
  return [
    /^[A-Z]+ \//.test(name) ? name.replace(/^\S+ [^ ,]+/, '`$&`') : name,
    worker_ms.toFixed(2),
    short(statements),
    postgres_ms.toFixed(2),
    (postgres_bytes / 1000).toFixed(1),
    short(redis_commands),
    short(qstash_messages),
    bytes_out.toFixed(0),
    (MILLION * totalOf(usage)).toFixed(2),
  ]
}

const short = (value: number) => String(Number(value.toFixed(2)))

const totalOf = (usage: Usage) => sumOf(dollarsOf(usage))

const NAMES: Record<keyof typeof PRICES, string> = {
  worker_request: 'Worker requests',
  worker_ms: 'Worker CPU time',
  cu_hour: 'Postgres compute',
  postgres_byte: 'data from Postgres',
  redis_command: 'Redis commands',
  qstash_message: 'QStash messages',
}

/** The cost of a million of some requests, by resource. */
export function shareTable(lines: readonly Line[]): string {
  const kinds = Object.keys(NAMES) as (keyof typeof PRICES)[]
  const rows = lines.map(({ name, usage }) => {
    const dollars = dollarsOf(usage)
    return [name, ...kinds.map((kind) => (MILLION * dollars[kind]).toFixed(2))]
  })
  return toTable(['$ per million', ...kinds.map((kind) => NAMES[kind])], rows)
}

/** The cost of a month without requests. */
export function idleTable({ usage }: Line): string {
  const { cu_hour, ...dollars } = dollarsOf(usage)
  const monthly = Object.entries(dollars).filter(([, one]) => one > 0)
  const rows = [
    ['smallest Postgres compute, always active', awakeDollars],
    ...monthly.map(([kind, one]) => [NAMES[kind as keyof typeof PRICES], MINUTES_PER_MONTH * one] as const),
  ].map(([name, one]) => [String(name), Number(one).toFixed(2)])
  return toTable(['without requests', '$ per month'], rows)
}

/** The published prices. */
export function priceTable(): string {
  const rows = Object.values(PRICES).map(({ says, source, dated }) => [says, source, dated])
  return toTable(['price', 'page', 'date of the page'], rows)
}
