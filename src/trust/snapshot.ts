import { newEvent } from '../webhooks/events.ts'
import { hashInputs } from './inputs.ts'
import { scoreAgent, type TrustScore } from './score.ts'
import type { Snapshot, Unscored } from './snapshot-store.ts'

/**
 * Computes an agent's score and what it means for the history and for its platform.
 *
 * The first score has a previous one of 0; when a score ends for lack of activity nothing is sent.
 */
export async function takeSnapshot(agent: Unscored, now: Date): Promise<Snapshot> {
  const { agent_id, reg, events, score_revision, previous, previous_overall, days, today } = agent
  const score = scoreAgent(days, today)
  const changed = score ? differs(score, previous) || previous_overall === null : previous_overall !== null
  const event = changed && score ? updated(reg, Number(previous_overall ?? 0), score, now) : null
  const inputs_sha256 = await hashInputs(days)
  return { agent_id, score_revision, events, day: today, score, inputs_sha256, changed, event }
}

function differs(score: TrustScore, previous: Unscored['previous']): boolean {
  if (!previous) return true
  return (
    score.overall !== previous.overall ||
    score.reliability !== previous.reliability ||
    score.accuracy !== previous.accuracy ||
    score.safety !== previous.safety ||
    score.speed !== previous.speed ||
    score.consistency !== previous.consistency
  )
}

function updated(reg: string, previous_score: number, score: TrustScore, now: Date): Snapshot['event'] {
  const { reliability, accuracy, safety, speed, consistency } = score
  return {
    ...newEvent('trust.updated', now),
    data: {
      reg,
      previous_score,
      new_score: score.overall,
      dimensions: { reliability, accuracy, safety, speed, consistency },
    },
  }
}
