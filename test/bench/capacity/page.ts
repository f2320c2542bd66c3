import { LIFE, type Lived } from './fill.ts'
import type { TableSize } from './sizes.ts'
import type { Statements } from './statements.ts'

/** The measurements, and the machine. */
export interface World extends Lived {
  at: string
  machine: string
  agents: number
  sizes: Record<string, TableSize>
  statements: Statements
}

const SIZES = [10_000, 1_000_000, 100_000_000]
const EVENTS_PER_AGENT = LIFE.days * LIFE.events_a_day
/** Days with a score: the days of its events, and those until the last of them has left the window. */
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
 * Rows and bytes of an agent in a table. Tables with fewer rows than over a whole life are scaled: only the last days were
 * scored one by one, and all events of an agent were added to the log at once, not day by day.
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
    `Measured on ${world.at} with ${world.agents} agents that reported ${LIFE.events_a_day} events on each of ${LIFE.days} days, ${Math.round(LIFE.events_a_day * LIFE.days)} in total; ${world.machine}.`,
    '',
    `| table | bytes per row (of these, indexes) | ${head.join(' | ')} |`,
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
      `| \`${table}\` | ${Math.round((heap + indexes) / rows)} (${Math.round(indexes / rows)}) | ${cells.join(' | ')} |`,
    )
  }
  lines.push(`| all tables | | ${sums.map((sum) => `**${bytes(sum)}**`).join(' | ')} |`)
  return lines.join('\n')
}

/** Statements per second at each size, and the CPUs that Postgres needs for them. */
export function statementsTable(world: World): string {
  const { profile, report, batch } = world.statements
  const events = 1_000
  const kinds: [string, number, number][] = [
    [`a profile or verification, ${READS_A_DAY} per agent and day`, profile, READS_A_DAY],
    [`a single report, ${LIFE.events_a_day} per agent and day`, report, LIFE.events_a_day],
    ['the same reports in batches of 1,000', batch, LIFE.events_a_day / events],
    ['a page of 500 snapshots, each agent once per day', world.snapshot_page_ms, 1 / 500],
    [
      'a leaf of the log, for each event and for each agent and day',
      1_000 / world.leaves_per_second,
      LIFE.events_a_day + 1,
    ],
  ]
  const lines = [
    `| statement | Postgres ms | ${SIZES.map((agents) => `${count(agents)} agents: per second, CPUs at peak`).join(' | ')} |`,
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

/** The sizes at which limits are reached, in this order. */
export function breaksTable(world: World): string {
  const of = (tables: readonly string[], part: (size: TableSize) => number) =>
    tables.reduce((sum, table) => sum + part(perAgent(world, table)), 0)
  const tables = Object.keys(world.sizes)
  const leavesADay = LIFE.events_a_day + 1
  const leaves = (world.leaves_per_second * LOG_SECONDS_A_MINUTE * DAY_SECONDS) / 60
  const limits: [string, number][] = [
    [
      `the indexes of \`activity_events\`, to which each event is written, no longer fit into ${bytes(MEMORY_BYTES)} of memory`,
      MEMORY_BYTES / of(['activity_events'], ({ indexes }) => indexes),
    ],
    [
      `the database reaches ${bytes(DISK_BYTES)}`,
      DISK_BYTES / of(tables, ({ heap, indexes }) => heap + indexes),
    ],
    [
      `at peak, there are more new leaves than the job of the log appends (${Math.round(world.leaves_per_second)} per second, for ${LOG_SECONDS_A_MINUTE} s of each minute)`,
      leaves / leavesADay / PEAK,
    ],
    [
      `single reports use one CPU of Postgres at peak`,
      (1_000 * DAY_SECONDS) / (PEAK * LIFE.events_a_day * world.statements.report),
    ],
    [
      `the same reports in batches use one CPU of Postgres at peak`,
      (1_000_000 * DAY_SECONDS) / (PEAK * LIFE.events_a_day * world.statements.batch),
    ],
    [
      `the daily snapshots (${count(SNAPSHOTS_A_MINUTE)} agents per minute) take longer than a day`,
      SNAPSHOTS_A_MINUTE * 60 * 24,
    ],
    ['the agent numbers of a year are used up, if all agents are registered in one year', NUMBERS_A_YEAR],
  ]
  return [
    '| limit | reached at this number of agents | with this number of events |',
    '|---|---:|---:|',
    ...limits
      .toSorted(([, a], [, b]) => a - b)
      .map(([what, agents]) => `| ${what} | ${count(agents)} | ${count(agents * EVENTS_PER_AGENT)} |`),
  ].join('\n')
}
