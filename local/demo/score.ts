import { z } from 'zod'
import { say, table } from '../../scripts/support/print.ts'
import { utcDay } from '../../src/lib/time.ts'
import { type TrustScore, WEIGHTS_PERCENT } from '../../src/trust/score.ts'
import { showCall } from './call.ts'
import { step } from './print.ts'
import { type Logged, recompute } from './recompute.ts'

const points = z.number()

export const dimensionsShape = z.object({
  reliability: points,
  accuracy: points,
  safety: points,
  speed: points,
  consistency: points,
})

const scoreShape = dimensionsShape.extend({
  evidence: z.object({ self: z.number(), unproven: z.number(), peer: z.number(), independent: z.number() }),
  risk_factors: z.array(z.object({ code: z.string(), message: z.string() })),
  overall: points,
  events_considered: z.number(),
  algorithm_version: z.string(),
  computed_at: z.string(),
})

/** The overall score and the five dimensions. */
export type Numbers = Pick<TrustScore, 'overall' | keyof z.infer<typeof dimensionsShape>>

const MEANING: Record<keyof Numbers, string> = {
  overall: 'weighted mean of the five below',
  reliability: 'share of completed tasks, minus downtime',
  accuracy: 'reported quality of the tasks',
  safety: 'number and severity of incidents',
  speed: 'Apdex: full marks up to 2 s, half up to 8 s',
  consistency: 'number and severity of bad days',
}
const NAMES = Object.keys(MEANING) as (keyof Numbers)[]

/**
 * Requests the score, computes it again from the log, and compares them; returns the overall score.
 *
 * @param why lines that explain the step
 * @throws Error when the two differ
 */
export async function showScore(
  api: string,
  reg: string,
  log: readonly Logged[],
  ...why: string[]
): Promise<number> {
  step('Request the trust score', ...why)
  const path = `/agents/${reg}/trust-score?explain=true`
  const score = await showCall(api, { method: 'GET', path, status: 200, shape: scoreShape })
  const own = recompute(log, utcDay(new Date(score.computed_at)))
  if (!own)
    throw new Error(`the service returned a score, but the ${log.length} reported events result in none`)

  say('', 'Computed again from the reported events, with the functions of src/trust:', '')
  table([
    ['', 'service', 'local', 'weight', 'meaning'],
    ...NAMES.map((name) => [
      name,
      score[name].toFixed(1),
      own[name].toFixed(1),
      name === 'overall' ? '' : `${WEIGHTS_PERCENT[name]} %`,
      MEANING[name],
    ]),
    ['events', String(score.events_considered), String(own.events_considered), '', 'of the last 90 days'],
  ])
  if (score.events_considered !== log.length) {
    throw new Error(`the score considers ${score.events_considered} events, ${log.length} were reported`)
  }
  if (!sameNumbers(score, own) || score.algorithm_version !== own.algorithm_version) {
    throw new Error('the service and the demo compute different scores')
  }
  const { evidence, risk_factors } = score
  say(
    '',
    'Both are equal. The sources of the events, and the risk factors:',
    '',
    Object.entries(evidence)
      .map(([source, share]) => `${(100 * share).toFixed(1)} % ${source}`)
      .join(', '),
    ...risk_factors.map(({ code, message }) => `${code}: ${message}`),
  )
  return score.overall
}

export function sameNumbers(a: Numbers, b: Numbers): boolean {
  return NAMES.every((name) => a[name] === b[name])
}
