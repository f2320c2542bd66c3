import { SOURCES, type Source } from '../../src/db/enums.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { WINDOW_DAYS } from '../../src/trust/window.ts'
import { betrayal, honest, perfect, RING, reported, SIXTY_DAYS } from './attacks.ts'
import { dayOfAge, emptyRow, rowsOf } from './rollups.ts'

const LEAST_DAYS = 10
const MOST_TASKS = 50
// 1 − 0.6 u² for an even u: half of all honest agents reach 0.85, two in ten stay below 0.6.
const WORST_QUALITY = 0.4
const ATTACKER_QUALITY = { from: 0.4, to: 0.6 } as const
/** True quality from which an agent is good, and up to which it is bad, as every attacker is. */
export const GOOD = 0.85
export const BAD = 0.6
const MOST_BETRAYAL_DAYS = 12
const PARKED_DAYS = 30
// Shares of the failed tasks.
const WARNINGS = 1 / 20
const CRITICALS = 1 / 500
// Shares of the work of an agent with several sources; its operator reports the rest.
const SHARE_OF_OTHERS = 1 / 3

/** Who reports the work of an honest agent. */
type Reporting = 'self' | 'mixed' | 'attested'
/** The share of honest agents by source: half are reported only by their operator, a fifth also by others. */
const REPORTINGS: readonly Reporting[] = [
  ...Array<Reporting>(5).fill('self'),
  ...Array<Reporting>(2).fill('mixed'),
  ...Array<Reporting>(3).fill('attested'),
]

/** Attacks that cost nothing, or a mailbox. */
export const FREE_ATTACKS = ['invented', 'left out', 'flooded', 'graded itself', 'second account'] as const
/** Attacks that cost identity documents, or 90 honest days. */
export const PAID_ATTACKS = ['friend', 'ring', 'betrayal', 'parked'] as const
export const ATTACKS = [...FREE_ATTACKS, ...PAID_ATTACKS] as const
type Attack = (typeof ATTACKS)[number]

export interface Agent {
  /** 0 to 1: the share of its tasks that it does well. */
  quality: number
  kind: Reporting | Attack
  rows: Rollup[]
}

type Random = () => number

/**
 * Makes honest agents, that work on half to all of the last 10 to 90 days (two in ten of 90), 1 to 50 tasks a day.
 *
 * A task succeeds with the probability of the agent's true quality, which is also about the mean of the grades; of those
 * that fail one in twenty is an incident of severity warning, one in 500 critical. Sources report all that they see.
 *
 * @param today the UTC day that has age 0
 */
export function honestAgents(random: Random, count: number, today: string): Agent[] {
  const days = daysUpTo(today)
  return Array.from({ length: count }, (_, index) => {
    const quality = 1 - (1 - WORST_QUALITY) * random() ** 2
    const kind = REPORTINGS[index % REPORTINGS.length] as Reporting
    return { quality, kind, rows: work(random, quality, days, reportersOf(kind, random)) }
  })
}

/**
 * Makes attackers of true quality 0.4 to 0.6, as many of each attack; the records are those of the table of attacks, the
 * work next to them is as that of honest agents.
 */
export function attackers(random: Random, count: number, attacks: readonly Attack[], today: string): Agent[] {
  const days = daysUpTo(today)
  const { from, to } = ATTACKER_QUALITY
  return Array.from({ length: count }, (_, index) => {
    const quality = from + (to - from) * random()
    const kind = attacks[index % attacks.length] as Attack
    const seen = () => work(random, quality, days, () => 'independent')
    return { quality, kind, rows: RECORDS[kind]({ seen, random, today }) }
  })
}

interface Attacker {
  /** Makes the rows of its real work, as an established platform would see it. */
  seen: () => Rollup[]
  random: Random
  today: string
}

/** The reports about an attacker. */
const RECORDS: Record<Attack, (attacker: Attacker) => Rollup[]> = {
  invented: ({ today }) => rowsOf([reported('self', perfect(10, 14))], today),
  'left out': ({ seen }) => seen().map(onlyTheGood),
  flooded: ({ seen, today }) => [...seen(), ...rowsOf([reported('self', perfect(500))], today)],
  'graded itself': ({ seen, today }) => [
    ...seen().map((row) => ({ ...row, graded_count: 0, graded_milli: 0 })),
    ...rowsOf([reported('self', perfect(1_000, 1))], today),
  ],
  'second account': ({ today }) => rowsOf([reported('self', SIXTY_DAYS)], today),
  friend: ({ today }) => rowsOf([reported('peer', SIXTY_DAYS)], today),
  ring: ({ today }) => rowsOf(RING, today),
  betrayal: ({ random, today }) => {
    const days = 1 + Math.floor(MOST_BETRAYAL_DAYS * random())
    return rowsOf([honest(days), betrayal(days)], today)
  },
  parked: ({ today }) => rowsOf([honest(PARKED_DAYS)], today),
}

function onlyTheGood(row: Rollup): Rollup {
  const { day, completed, latency_count } = row
  return {
    ...emptyRow(day, 'self'),
    events: completed,
    completed,
    graded_count: completed,
    graded_milli: 1000 * completed,
    latency_count,
    latency_satisfied: latency_count,
  }
}

/** The source of the report of each task. */
function reportersOf(kind: Reporting, random: Random): () => Source {
  const other = random() < 0.5 ? 'peer' : 'independent'
  if (kind === 'mixed') return () => (random() < SHARE_OF_OTHERS ? other : 'self')
  return () => (kind === 'self' ? 'self' : 'independent')
}

/** Rows of an agent's days, oldest first. */
function work(random: Random, quality: number, days: readonly string[], reporter: () => Source): Rollup[] {
  const first = Math.min(WINDOW_DAYS, LEAST_DAYS + Math.floor(100 * random()))
  const presence = 0.5 + random() / 2
  const scale = random()
  const prompt = 0.7 + 0.3 * random()
  const rows: Rollup[] = []
  for (let age = first - 1; age >= 0; age--) {
    if (random() >= presence) continue
    const said: Partial<Record<Source, Rollup>> = {}
    for (let task = Math.ceil(MOST_TASKS ** scale); task > 0; task--) {
      const source = reporter()
      said[source] ??= emptyRow(days[age] as string, source)
      report(said[source], random, quality, prompt)
    }
    for (const source of SOURCES) if (said[source]) rows.push(said[source])
  }
  return rows
}

function report(row: Rollup, random: Random, quality: number, prompt: number): void {
  row.events++
  if (random() < quality) {
    row.completed++
    row.graded_count++
    row.graded_milli += Math.round(1000 * Math.max(0, 1 - 2 * (1 - quality) * random()))
    row.latency_count++
    if (random() < prompt) row.latency_satisfied++
    else row.latency_tolerating++
    return
  }
  row.failed++
  const fault = random()
  if (fault < CRITICALS) row.incidents_critical++
  else if (fault < CRITICALS + WARNINGS) row.incidents_warning++
}

const daysUpTo = (today: string) => Array.from({ length: WINDOW_DAYS }, (_, age) => dayOfAge(age, today))
