import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { judgeScores, judgeSums, readDays } from '../../packages/verify/days.ts'
import {
  countedOf,
  judgeHistory,
  numbered,
  type PlacedLeaf,
  type Voided,
} from '../../packages/verify/history.ts'
import { openLeaf, type TileReader } from '../../packages/verify/index.ts'
import { CheckFailed, pluralize } from '../../packages/verify/problems.ts'
import { utcDay } from '../../src/lib/time.ts'
import { compareActivity, judgeTimes, unloggedOf } from './activity.ts'
import type { Client } from './client.ts'
import { type AgentEntries, fetchEntries, readEntries, requireInTree } from './entries.ts'
import type { Findings } from './findings.ts'
import { type Opened, openEntries } from './openings.ts'
import { judgeRollups } from './rollups.ts'
import { compareShown, excessDays, missingDays } from './scores.ts'
import type { SeenHead } from './state.ts'
import type { VerifiedTree } from './tree.ts'
import { activityShape, type ListedEvent, profileShape } from './wire.ts'

const PUBLIC_EVENTS = 50
const PAGE = 50
const DAY_LATE_MS = 6 * 3_600_000 // promised for a day leaf
const RETRY_MS = 1_000 // longer each time
const MAX_RETRY_MS = 10_000
const MIN_RETRIES = 2 // a profile may change between two responses

/** The input of the checks of an agent. */
export interface Context {
  client: Client
  /** The same client without a key. */
  anonymous: Client
  reader: TileReader
  tree: VerifiedTree
  findings: Findings
  reg: string
  /** Opens the tree of the newest head, which begins with `tree`. */
  openNewest: () => Promise<VerifiedTree>
  /** Whether the key of the agent's operator or platform is sent. */
  hasKey: boolean
  voided: readonly Voided[]
  /** When the head was fetched. */
  seenAt: Date
  /** Heads of earlier runs, oldest first. */
  heads: readonly SeenHead[]
  delayMs: number
}

/** Checks all that the log says of one agent; returns its entries, for `--save` and `--all`. */
export async function verifyAgent(context: Context): Promise<AgentEntries> {
  const { client, reader, tree, findings, reg, hasKey, voided } = context
  const all = await fetchEntries(client, reg, hasKey)
  const listed = all.filter(({ index }) => index < tree.size)
  await requireInTree(listed, reader, tree)
  const entries = readEntries(reg, listed)
  const { placed } = entries
  await requireLogged(context, placed.length)
  const numbers = placed.flatMap((one) => numbered(one) ?? [])
  const count = (kind: PlacedLeaf['leaf']['kind']) => countedOf(placed, kind, voided).length
  findings.check(
    'entries',
    `${pluralize(placed.length, 'leaf', 'leaves')}, all in the signed tree, no number missing or duplicate: ` +
      `${pluralize(count('event'), 'event')}, ${pluralize(count('agent'), 'revision')} of the agent, ` +
      `${count('incident')} of incidents, ${pluralize(count('day'), 'day')}, ${pluralize(count('redaction'), 'redaction')}`,
    [...entries.problems, ...judgeHistory(numbers, voided)],
  )
  for (const [name, count] of entries.unknown)
    findings.note(`${pluralize(count, 'leaf', 'leaves')} of ${name} are unknown to this program`)
  const opened = await verifyOpenings(context, entries)
  await verifyDays(context, entries, opened)
  return entries
}

async function requireLogged({ client, reg, seenAt, delayMs }: Context, leaves: number): Promise<void> {
  if (leaves > 0) return
  const { registered_at } = await client.ask(`/api/v1/agents/${reg}`, profileShape)
  const problem = `the log contains nothing about ${reg}, registered on ${registered_at}`
  if (Date.parse(registered_at) < seenAt.getTime() - delayMs) throw new CheckFailed(problem)
  throw new Error(`${problem}: it may be too recent, try again in two minutes`)
}

/** Step 4: openings against leaves, activity and profile. */
async function verifyOpenings(context: Context, { placed }: AgentEntries): Promise<Opened> {
  const { client, findings, reg, hasKey, voided, seenAt, heads, delayMs } = context
  const { activity, isWhole, suspended } = await fetchActivity(client, reg, hasKey)
  const events = countedOf(placed, 'event', voided).length
  const shownIds = new Set(placed.flatMap(({ opening }) => idOf(opening?.facts) ?? []))
  const unlogged = unloggedOf(activity, shownIds).length
  const role = !hasKey ? 'anyone' : isWhole ? 'operator' : 'platform'
  const opened = await openEntries(placed, { voided, reader: role, unlogged, suspended })
  if (role === 'platform') requireMore(context, events, opened)
  const shown = opened.events.length
  findings.check(
    'openings',
    `${pluralize(shown, 'event')} of ${events}, ${pluralize(opened.incidents, 'incident')} and the profile match the log`,
    opened.problems,
  )
  const most = isWhole ? Number.POSITIVE_INFINITY : PUBLIC_EVENTS
  findings.check(
    'activity',
    `${pluralize(activity.length, 'listed event')} match the log${unlogged > 0 ? `, ${unlogged} not in the log yet` : ''}`,
    compareActivity(activity, opened.events, { most, events, head: seenAt, delayMs }),
  )
  if (heads.length > 0) {
    findings.check(
      'times',
      `the times of ${pluralize(shown, 'event')} fit ${pluralize(heads.length, 'earlier head')}`,
      judgeTimes(opened.events, heads, delayMs, voided),
    )
  }
  if (opened.agent || opened.isAgentClosed) {
    const problems = await compareProfile(context, opened.agent)
    findings.check('profile', 'matches its newest revision in the log', problems)
  }
  return opened
}

/** Step 5: days, scores and rollups, which are derived from the log. */
async function verifyDays(context: Context, { placed }: AgentEntries, { events }: Opened): Promise<void> {
  const { client, findings, reg, voided, seenAt } = context
  const { days, revisions, problems } = readDays(countedOf(placed, 'day', voided))
  const finished = utcDay(new Date(seenAt.getTime() - DAY_LATE_MS))
  const logged = countedOf(placed, 'event', voided).length
  const missing = missingDays(
    events.map(({ facts }) => facts.created_at),
    days,
    finished,
  )
  findings.check('days', `${pluralize(days.length, 'day')}: their rows count exactly the events of the log`, [
    ...problems,
    ...(problems.length > 0 ? [] : [...judgeSums(days), ...excessDays(days, logged)]),
    ...missing,
  ])
  if (problems.length > 0) return
  for (const { day, rev } of days.filter(({ rev }) => rev > 1))
    findings.note(`day ${day} was corrected: revision ${rev} counts`)
  const scored = await judgeScores(days, revisions)
  findings.check(
    'scores',
    `${pluralize(scored.scores, 'score')}, each recomputed from the rows of its 90 days`,
    scored.problems,
  )
  // If the service's clock was ahead, a day was logged too early, and is logged again after its end.
  const over = days.filter(({ day }) => day < utcDay(seenAt))
  for (const { day } of days.slice(over.length))
    findings.note(`day ${day} was logged before its end: its rows are checked after it has ended`)
  const summed = judgeRollups(over, events)
  findings.check('rollups', `${pluralize(summed.days, 'day')} recomputed from the events`, summed.problems)
  const shown = await compareShown(client, reg, over, finished)
  findings.check(
    'shown',
    `${pluralize(shown.scores, 'score')} of the history and the rows of ${pluralize(shown.windows, 'window')} match the log`,
    shown.problems,
  )
}

async function fetchActivity({ ask }: Client, reg: string, hasKey: boolean) {
  const activity: ListedEvent[] = []
  let [suspended, isWhole] = [false, false]
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = hasKey ? `&cursor=${encodeURIComponent(cursor)}` : ''
    const page: z.infer<typeof activityShape> = await ask(
      `/api/v1/agents/${reg}/activity?per_page=${PAGE}${query}`,
      activityShape,
    )
    activity.push(...page.data)
    suspended ||= page.operator_status === 'suspended'
    isWhole ||= page.next_cursor !== undefined
    cursor = hasKey ? (page.next_cursor ?? null) : null
  }
  return { activity, isWhole, suspended }
}

/** A key that is not the operator's must be that of the agent's platform, which opens more than is public. */
function requireMore({ findings }: Context, events: number, { events: open }: Opened): void {
  const closed = events - open.length
  if (closed > 0 && open.length <= PUBLIC_EVENTS)
    throw new Error(
      'the key opens only what is public: it does not belong to the operator or platform of the agent',
    )
  findings.note(`the key is not that of the agent's operator: it cannot open ${pluralize(closed, 'event')}`)
}

/**
 * Compares the profile with the facts of its newest revision. The service publishes the opening only of the newest
 * revision: if it is missing, a newer revision follows within the merge delay.
 */
async function compareProfile(context: Context, opened: Record<string, unknown> | null): Promise<string[]> {
  const { anonymous, reg, delayMs } = context
  const differing = async (facts: Record<string, unknown> | null) => {
    const profile = await anonymous.ask(`/api/v1/agents/${reg}`, profileShape)
    // The profile shows that a platform is retired, whatever the state of the membership was.
    const isCompared = (name: string) =>
      name in profile && !(name === 'platform_state' && profile[name] === 'retired')
    if (!facts) return ['the newest revision of the agent must be public, but is not shown']
    return Object.entries(facts).flatMap(([name, value]) =>
      isCompared(name) && !isDeepStrictEqual(profile[name], value)
        ? [`${name} is shown as ${JSON.stringify(profile[name])}, the log has ${JSON.stringify(value)}`]
        : [],
    )
  }
  let facts = opened
  let problems = await differing(facts)
  const until = Date.now() + delayMs
  for (let retries = 0; problems.length > 0 && (retries < MIN_RETRIES || facts === null); retries++) {
    if (Date.now() > until && retries >= MIN_RETRIES) break
    await sleep(Math.min(RETRY_MS * (retries + 1), MAX_RETRY_MS, delayMs))
    facts = await newestFacts(context)
    problems = await differing(facts)
  }
  return problems
}

/** The facts of the agent's newest revision, in the newest tree; null while its opening is not public. */
async function newestFacts({ anonymous, reader, openNewest, reg }: Context) {
  const tree = await openNewest()
  const listed = (await fetchEntries(anonymous, reg, false)).filter(({ index }) => index < tree.size)
  const newest = readEntries(reg, listed).placed.findLast(({ leaf }) => leaf.kind === 'agent')
  if (!newest?.opening) return null
  await requireInTree(
    listed.filter(({ index }) => index === newest.index),
    reader,
    tree,
  )
  const { facts, reason } = await openLeaf(newest.leaf, newest.opening)
  if (reason === null) return facts
  throw new CheckFailed(`the newest revision of the agent does not match the log (${reason})`)
}

function idOf(facts: string | undefined): string | null {
  try {
    const { id } = JSON.parse(facts ?? 'null') as { id?: unknown }
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
