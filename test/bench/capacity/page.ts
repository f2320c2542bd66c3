import { LIFE, type Lived } from './fill.ts'
import type { TableSize } from './sizes.ts'
import type { Statements } from './statements.ts'

/** What was measured, and where. */
export interface World extends Lived {
  at: string
  machine: string
  agents: number
  sizes: Record<string, TableSize>
  statements: Statements
}

const SIZES = [10_000, 1_000_000, 100_000_000]
const EVENTS_PER_AGENT = LIFE.days * LIFE.events_a_day
/** Days with a score: those of its events, then the window until nothing is left of them. */
const SCORED_DAYS = LIFE.days + 90
const ROWS_AN_AGENT: Record<string, number> = { trust_scores: SCORED_DAYS, tlog_ranges: LIFE.days }
const READS_A_DAY = 10
const PEAK = 3
const DAY_SECONDS = 86_400
const MEMORY_BYTES = 8 * 2 ** 30
const DISK_BYTES = 2 ** 40
const SNAPSHOTS_A_MINUTE = 60_000 // src/jobs/snapshots.ts: its own pages and those handed over
const LOG_SECONDS_A_MINUTE = 30 // src/jobs/transparency.ts
const NUMBERS_A_YEAR = 9_999 ** 2

const COUNTS = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const count = (n: number) =>
  COUNTS.format(n).replace('K', ' thousand').replace('M', ' million').replace('B', ' billion')

function bytes(n: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const unit = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, n)) / 3)))
  return `${Number((n / 1000 ** unit).toPrecision(3))} ${units[unit]}`
}

const rounded = (n: number) => String(Number(n.toPrecision(2)))

/**
 * Rows and bytes that an agent leaves in a table. What the measured database has less of than a life leaves is scaled: the
 * last days alone were scored one by one, and all events of an agent went into the log at once, not day by day.
 */
function perAgent({ agents, sizes }: World, table: string) {
  const size = sizes[table] ?? { rows: 0, heap: 0, indexes: 0 }
  const rows = ROWS_AN_AGENT[table] ?? size.rows / agents
  const share = rows / size.rows
  return { rows, heap: size.heap * share, indexes: size.indexes * share }
}

/** Rows and bytes of each table at each size. */
export function rowsTable(world: World): string {
  const head = SIZES.map((agents) => `${count(agents)} agents, ${count(agents * EVENTS_PER_AGENT)} events`)
  const lines = [
    `Measured on ${world.at} with ${world.agents} agents that reported ${LIFE.events_a_day} events on each of ${LIFE.days} days, ${Math.round(LIFE.events_a_day * LIFE.days)} in all; ${world.machine}.`,
    '',
    `| table | bytes a row, of these indexes | ${head.join(' | ')} |`,
    `|---|---:|${head.map(() => '---:|').join('')}`,
  ]
  const sums = SIZES.map(() => 0)
  for (const table of Object.keys(world.sizes)) {
    const { rows, heap, indexes } = perAgent(world, table)
    const cells = SIZES.map((agents, n) => {
      sums[n] = (sums[n] ?? 0) + agents * (heap + indexes)
      return `${count(agents * rows)} rows, ${bytes(agents * (heap + indexes))}`
    })
    lines.push(
      `| \`${table}\` | ${Math.round((heap + indexes) / rows)}, ${Math.round(indexes / rows)} | ${cells.join(' | ')} |`,
    )
  }
  lines.push(`| all of these | | ${sums.map((sum) => `**${bytes(sum)}**`).join(' | ')} |`)
  return lines.join('\n')
}

/** Statements a second at each size, and the processors that Postgres needs for them. */
export function statementsTable(world: World): string {
  const { profile, report, batch } = world.statements
  const events = 1_000
  const kinds: [string, number, number][] = [
    [`a profile or verification, ${READS_A_DAY} an agent and day`, profile, READS_A_DAY],
    [`a single report, ${LIFE.events_a_day} an agent and day`, report, LIFE.events_a_day],
    ['the same in batches of 1,000', batch, LIFE.events_a_day / events],
    ['a page of snapshots, each agent once a day', world.snapshot_page_ms, 1 / 500],
    [
      'a leaf of the log, events and a day an agent and day',
      1_000 / world.leaves_per_second,
      LIFE.events_a_day + 1,
    ],
  ]
  const lines = [
    `| statement | ms of Postgres | ${SIZES.map((agents) => `${count(agents)} agents: a second, processors at the peak`).join(' | ')} |`,
    `|---|---:|${SIZES.map(() => '---:|').join('')}`,
  ]
  for (const [name, ms, a_day] of kinds) {
    const cells = SIZES.map((agents) => {
      const rate = (agents * a_day) / DAY_SECONDS
      return `${rounded(rate)}, ${rounded((PEAK * rate * ms) / 1_000)}`
    })
    lines.push(`| ${name} | ${rounded(ms)} | ${cells.join(' | ')} |`)
  }
  return lines.join('\n')
}

/** The sizes at which the limits are reached, the first one first. */
export function breaksTable(world: World): string {
  const of = (tables: readonly string[], part: (size: TableSize) => number) =>
    tables.reduce((sum, table) => sum + part(perAgent(world, table)), 0)
  const tables = Object.keys(world.sizes)
  const leavesADay = LIFE.events_a_day + 1
  const leaves = (world.leaves_per_second * LOG_SECONDS_A_MINUTE * DAY_SECONDS) / 60
  const limits: [string, number][] = [
    [
      `the indexes that each event writes to (\`activity_events\`) do not fit into ${bytes(MEMORY_BYTES)} of memory`,
      MEMORY_BYTES / of(['activity_events'], ({ indexes }) => indexes),
    ],
    [`one database has ${bytes(DISK_BYTES)}`, DISK_BYTES / of(tables, ({ heap, indexes }) => heap + indexes)],
    [
      `the log's job, which appends for ${LOG_SECONDS_A_MINUTE} s of a minute, ${Math.round(world.leaves_per_second)} leaves a second, falls behind the peak`,
      leaves / leavesADay / PEAK,
    ],
    [
      `single reports take one processor of Postgres at the peak`,
      (1_000 * DAY_SECONDS) / (PEAK * LIFE.events_a_day * world.statements.report),
    ],
    [
      `the events of a day in batches take one processor at the peak`,
      (1_000_000 * DAY_SECONDS) / (PEAK * LIFE.events_a_day * world.statements.batch),
    ],
    [
      `the snapshots of a day, ${count(SNAPSHOTS_A_MINUTE)} agents a minute, take longer than the day`,
      SNAPSHOTS_A_MINUTE * 60 * 24,
    ],
    ['the numbers of a year are used up, when all are registered in it', NUMBERS_A_YEAR],
  ]
  return [
    '| what | is reached at agents | with events |',
    '|---|---:|---:|',
    ...limits
      .toSorted(([, a], [, b]) => a - b)
      .map(([what, agents]) => `| ${what} | ${count(agents)} | ${count(agents * EVENTS_PER_AGENT)} |`),
  ].join('\n')
}
