import { type EventType, each, type RecordStanding } from '../db/enums.ts'
import type { agent_stats, agents } from '../db/schema.ts'
import { dayNumber, dayOf } from '../lib/time.ts'
import { type EventHead, newEvent } from '../webhooks/outbox/events.ts'
import { type Fall, hasFallen, trustAlert } from './alert.ts'
import type { KeptScore } from './basis.ts'
import { DIMENSIONS } from './dimensions.ts'
import { hashInputs, readRows } from './inputs.ts'
import { SCORES, scoreAgent, type TrustScore } from './score.ts'
import { recordStanding } from './standing.ts'
import { type Crossing, crossThresholds } from './threshold.ts'
import { windowOf } from './window.ts'

/** The fields of a score in the history; a change of any of them makes a row. */
const SHOWN = [...SCORES, 'events_considered', 'algorithm_version'] as const

type Shown = Pick<TrustScore, (typeof SHOWN)[number]>
/** A row of the history. */
export type PastScore = Shown & { day: string }

type Stats = typeof agent_stats.$inferSelect

/** An agent whose score is to be computed; days are `YYYY-MM-DD` in UTC. */
export type Due = Pick<typeof agents.$inferSelect, 'reg' | 'name' | 'platform_id'> &
  Pick<Stats, 'agent_id' | 'events' | 'score_revision' | 'deactivated' | 'trust_level'> & {
    trust_score_overall: number | null
    /** The days to compute; `first_day` is after `last_day` if there are none. */
    first_day: string
    last_day: string
    /** Whether no later days are left to compute. */
    complete: boolean
    /** The newest row of the history, and the newest row before `first_day`. */
    newest: PastScore | null
    before: PastScore | null
    /** The rollup rows of the windows of these days, in the format of `readRows`. */
    rows: string | null
    /** The open outages on each of these days. */
    open_outages: number[]
  }

/** What a run writes for one agent, unless another run has written since the agent was read. */
export interface Snapshot {
  state: Pick<Due, 'agent_id' | 'events' | 'score_revision' | 'deactivated' | 'trust_level'> & {
    /** The last computed day. */
    day: string
    /** Whether nothing is left to compute until there are new events. */
    ended: boolean
    /** Null if there is too little activity. */
    overall: number | null
    /** Null if it stays as it is. */
    record_standing: RecordStanding | null
    /** Null without a score of the last day: then it is computed when it is read. */
    kept_score: KeptScore | null
    kept_algorithm: string | null
  }
  /** Days whose score differs from the day before, and days that may already have a row. */
  history: (PastScore & { agent_id: string; changed: boolean; inputs_sha256: string })[]
  outgoing: (EventHead & { agent_id: string; data: Record<string, unknown> })[]
  alert: { agent_id: string; title: string; body: string } | null
}

/**
 * Computes the scores of an agent for the days that are due, with the rows of the history, the webhook events, and the
 * alert that follow from them. The events compare the score of the last day with the one that was reported last (0
 * before the first); when a score ends for lack of activity, nothing is reported.
 *
 * @param now the time of the run, which is also that of the events
 */
export async function takeSnapshot(agent: Due, now: Date): Promise<Snapshot> {
  const { agent_id, events, score_revision, deactivated, newest, last_day } = agent
  const days = daysFrom(agent.first_day, last_day)
  const rows = readRows(agent.rows ?? '')
  const outagesOf = new Map(days.map((day, n) => [day, agent.open_outages[n]]))
  const hash = (day: string) => hashInputs(windowOf(rows, day).rows, outagesOf.get(day))
  const history: Snapshot['history'] = []
  let [before, fall]: [PastScore | null, Fall | null] = [agent.before, null]
  let score: TrustScore | null = null
  for (const day of days) {
    score = scoreAgent(rows, day, outagesOf.get(day))
    if (!score) continue
    const past = { day, ...shownOf(score) }
    const changed = SHOWN.some((field) => past[field] !== before?.[field])
    if (changed || (newest && newest.day >= day)) {
      history.push({ agent_id, ...past, changed, inputs_sha256: await hash(day) })
    }
    fall = newFall(before, past, newest) ?? fall
    before = past
  }
  // A run that corrects earlier days ends before the newest row of the history: it keeps the score and sends no events.
  const corrects = newest !== null && newest.day > last_day
  const isNew = days.length > 0 && !corrects
  const record_standing = isNew ? recordStanding(windowOf(rows, last_day), score) : null
  if (corrects) score = null
  const { level, crossed } = score
    ? crossThresholds(agent.trust_level, score.overall)
    : { level: agent.trust_level, crossed: [] }
  const overall = isNew ? (score?.overall ?? null) : agent.trust_score_overall
  if (score && newest && crossed.some(({ direction }) => direction === 'down')) {
    fall ??= { from: newest, to: { day: last_day, overall: score.overall } }
  }
  return {
    state: {
      agent_id,
      events,
      score_revision,
      deactivated,
      trust_level: level,
      day: last_day,
      ended: agent.complete && (overall === null || deactivated),
      overall,
      record_standing,
      ...keptOf(score, record_standing),
    },
    history,
    outgoing: score ? outgoingOf(agent, score, crossed, now) : [],
    alert: fall && { agent_id, ...trustAlert(agent, fall, crossed) },
  }
}

/** What is kept of a score, so that reads need not compute it again. */
function keptOf(score: TrustScore | null, standing: RecordStanding | null) {
  if (!score || !standing) return { kept_score: null, kept_algorithm: null }
  const { algorithm_version: kept_algorithm, ...kept } = shownOf(score)
  return { kept_score: { ...kept, standing }, kept_algorithm }
}

function outgoingOf(
  { agent_id, reg, platform_id, newest }: Due,
  score: TrustScore,
  crossed: readonly Crossing[],
  now: Date,
): Snapshot['outgoing'] {
  if (!platform_id) return []
  const [new_score, previous_score] = [score.overall, newest?.overall ?? 0]
  const dimensions = each(DIMENSIONS, (name) => score[name])
  const differs = SCORES.some((name) => score[name] !== newest?.[name])
  const head = (type: EventType, nth: number) => ({ agent_id, ...newEvent(type, now, nth) })
  const updated = { ...head('trust.updated', 0), data: { reg, previous_score, new_score, dimensions } }
  return [
    ...(differs ? [updated] : []),
    ...crossed.map((crossing, n) => ({
      ...head('trust.threshold_crossed', n + 1),
      data: { reg, ...crossing, previous_score, new_score },
    })),
  ]
}

/** A fall compared with an earlier day; null if the replaced row had the same fall, or if the day is long past. */
function newFall(before: PastScore | null, past: PastScore, newest: PastScore | null): Fall | null {
  if (!before || !hasFallen(before.overall, past.overall)) return null
  if (newest && dayNumber(newest.day) > dayNumber(past.day) + 1) return null
  if (newest?.day === past.day && hasFallen(before.overall, newest.overall)) return null
  return { from: before, to: past }
}

function shownOf({ provisional, confidence, computation_window_days, ...shown }: TrustScore): Shown {
  return shown
}

function daysFrom(first: string, last: string): string[] {
  const from = dayNumber(first)
  return Array.from({ length: Math.max(0, dayNumber(last) - from + 1) }, (_, n) => dayOf(from + n))
}
