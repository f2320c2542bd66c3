import { HOUR_MS, utcDay } from '../../src/lib/time.ts'
import { hashInputs } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, scoreAgent, type TrustScore, toShare } from '../../src/trust/score.ts'
import { CheckFailed, Inconclusive, requireSame } from './problems.ts'
import { isRow } from './rows.ts'
import type { Service } from './service.ts'

const TRIES = 3
export const CLOCK_TOLERANCE_MS = 60_000

/** Rows whose hash is the published one, and the score computed from them. */
export interface Inputs {
  rows: Rollup[]
  today: string
  sha256: string
  score: TrustScore | null
}

/** What the service shows about a score at one point in time. */
export interface ShownScore extends Inputs {
  /** The body of the token, fetched at the same time; null if the service signs none. */
  statement: Record<string, unknown> | null
}

/**
 * Recomputes the score from the published rows; what the service shows must equal it to the last digit.
 *
 * @throws CheckFailed; Inconclusive
 */
export async function verifyScore(service: Service, reg: string, now: Date): Promise<[ShownScore, string]> {
  const path = `/api/v1/agents/${reg}/trust-score`
  let before = await fetchInputs(service, reg, now)
  for (let tries = 0; tries < TRIES; tries++) {
    const shown = await service.fetchJson(path)
    const statement = await service.fetchJson(`/api/v1/verify/${reg}/token`)
    // An event between two calls would make their results differ.
    const inputs = await fetchInputs(service, reg, now)
    if (inputs.sha256 === before.sha256 && inputs.today === before.today) {
      requireShown(shown, inputs.score, now)
      const { score, today } = inputs
      const detail = score
        ? `${score.overall.toFixed(1)}, events: ${score.events_considered}`
        : 'too little activity'
      return [{ ...inputs, statement }, `${today}: ${detail}`]
    }
    before = inputs
  }
  throw new Inconclusive('the score changed while it was read: try again later')
}

/** Verifies the published rows against the hash and score in the same response. */
async function fetchInputs(service: Service, reg: string, now: Date): Promise<Inputs> {
  const body = await service.fetchJson(`/api/v1/agents/${reg}/trust-score/inputs`)
  if (!body) throw new Inconclusive(`there is no agent ${reg}`)
  const { today, rows, algorithm_version: version } = body
  if (version !== ALGORITHM_VERSION)
    throw new Inconclusive(`the score is of algorithm ${version}, not ${ALGORITHM_VERSION}`)
  if (!Array.isArray(rows) || !rows.every(isRow))
    throw new Inconclusive('the rows of the score cannot be read')
  if (typeof today !== 'string' || today > utcDay(new Date(now.getTime() + CLOCK_TOLERANCE_MS)))
    throw new CheckFailed(`the score is of ${today}, which is in the future`)
  const sha256 = await hashInputs(rows)
  requireSame('the rows', body, { reg, sha256 })
  const score = scoreAgent(rows, today)
  if (score) requireScore(body.score, { ...score, confidence: toShare(score.confidence) })
  else requireSame('the rows', body, { score })
  return { rows, today, sha256, score }
}

/** Verifies what `GET …/trust-score` shows against the score computed from its rows. */
function requireShown(shown: Record<string, unknown> | null, score: TrustScore | null, now: Date): void {
  if (score) {
    requireScore(shown, score)
    const computed = shown?.computed_at
    if (!(Math.abs(Date.parse(String(computed)) - now.getTime()) < HOUR_MS))
      throw new CheckFailed(`the score is shown as computed at ${computed}`)
  } else requireSame('the score', { ...shown }, { status: 'insufficient_data' })
}

/** Compares `overall`, and each other number that is shown, with the score computed here. */
function requireScore(shown: unknown, own: TrustScore): void {
  requireSame('the score', { ...own, overall: null, ...Object(shown) }, own)
}
