import { SOURCES } from '../../src/db/enums.ts'
import { HOUR_MS, utcDay } from '../../src/lib/time.ts'
import { isCount } from '../../src/transparency/bytes.ts'
import { hashInputs } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, scoreAgent, type TrustScore, toShare } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import type { Check, Context } from './checks.ts'
import { CLOCK_TOLERANCE_MS } from './head.ts'
import { CheckFailed, Inconclusive, requireSame, UnknownAgent } from './problems.ts'
import { isRow } from './rows.ts'

const TRIES = 3

/** Rows whose hash is the published one, and the score computed from them. */
export interface Inputs {
  rows: Rollup[]
  /** See `scoreAgent`. */
  openOutages: number
  today: string
  sha256: string
  /** Null if there is too little activity. */
  score: TrustScore | null
}

/** What the service shows about a score at one point in time. */
export interface ShownScore extends Inputs {
  /** The body of the token, fetched at the same time; null if the service signs none. */
  statement: Record<string, unknown> | null
}

/** Recomputes the score from the published rows; what the service shows must equal it to the last digit. */
export const scoreCheck: Check = {
  name: 'score',
  async verify(context) {
    const { service, reg } = context
    let before = await fetchInputs(context)
    for (let tries = 0; tries < TRIES; tries++) {
      const shown = await service.fetchJson(`/api/v1/agents/${reg}/trust-score`)
      const statement = await service.fetchJson(`/api/v1/verify/${reg}/token`)
      // An event between two calls would make their results differ.
      const inputs = await fetchInputs(context)
      if (inputs.sha256 === before.sha256 && inputs.today === before.today) {
        requireShown(context, { ...shown }, inputs.score)
        context.shown = { ...inputs, statement }
        return describe(inputs)
      }
      before = inputs
    }
    throw new Inconclusive('the score changed while it was read: try again later')
  },
}

/** Recomputes the score at the end of a past day. */
export const pastScoreCheck = (date: string): Check => ({
  name: 'score',
  async verify(context) {
    context.shown = { ...(await fetchInputs(context, date)), statement: null }
    return describe(context.shown)
  },
})

function describe({ score, today }: Inputs): string {
  return `${today}: ${score ? `${score.overall.toFixed(1)}, events: ${score.events_considered}` : 'too little activity'}`
}

/**
 * Fetches the rows of a score, and verifies them against the hash and the score in the same response.
 *
 * @param date the UTC day of the score; today, if omitted
 * @throws UnknownAgent; CheckFailed; Inconclusive
 */
export async function fetchInputs({ service, reg, now }: Context, date?: string): Promise<Inputs> {
  const query = date === undefined ? '' : `?date=${date}`
  const body = await service.fetchJson(`/api/v1/agents/${reg}/trust-score/inputs${query}`)
  if (!body) throw new UnknownAgent()
  const { today, rows, open_outages: openOutages, algorithm_version: version } = body
  if (version !== ALGORITHM_VERSION)
    throw new Inconclusive(`the score is of algorithm ${version}, not ${ALGORITHM_VERSION}`)
  if (!Array.isArray(rows) || !rows.every(isRow))
    throw new Inconclusive('the rows of the score cannot be read')
  if (!isCount(openOutages) || openOutages > 2)
    throw new CheckFailed(`the score is of ${openOutages} open outages`)
  if (typeof today !== 'string' || today > (date ?? utcDay(new Date(now.getTime() + CLOCK_TOLERANCE_MS))))
    throw new CheckFailed(`the score is of ${today}, which is in the future`)
  const places = rows.map(({ day, source }) => `${day} ${SOURCES.indexOf(source)}`)
  if (
    places.some((place, n) => n > 0 && place <= `${places[n - 1]}`) ||
    windowOf(rows, today).rows.length < rows.length
  )
    throw new CheckFailed('the rows of the score are not those of its window, in order')
  const sha256 = await hashInputs(rows, openOutages)
  requireSame('the rows', body, { reg, sha256 })
  const score = scoreAgent(rows, today, openOutages)
  if (score) {
    const { computation_window_days, algorithm_version, confidence, ...numbers } = score
    requireSame('the score', Object(body.score), { ...numbers, confidence: toShare(confidence) })
  } else requireSame('the rows', body, { score })
  return { rows, openOutages, today, sha256, score }
}

/** Verifies what `GET …/trust-score` shows against the score computed from its rows. */
function requireShown({ reg, now }: Context, shown: Record<string, unknown>, score: TrustScore | null): void {
  const { provisional, confidence, ...published } = score ?? {}
  requireSame('the score', shown, score ? { reg, ...published } : { reg, status: 'insufficient_data' })
  const computed = shown.computed_at
  if (score && !(Math.abs(Date.parse(String(computed)) - now.getTime()) < HOUR_MS))
    throw new CheckFailed(`the score is shown as computed at ${computed}`)
}
