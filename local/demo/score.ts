import { z } from 'zod'
import { verifyScore } from '../../packages/verify/index.ts'
import { WEIGHTS_PERCENT } from '../../src/trust/score.ts'
import { showCall } from './call.ts'
import { say, step, table } from './print.ts'

const scoreShape = z.object({
  reliability: z.number(),
  accuracy: z.number(),
  safety: z.number(),
  speed: z.number(),
  consistency: z.number(),
  evidence: z.object({ self: z.number(), unproven: z.number(), peer: z.number(), independent: z.number() }),
  risk_factors: z.array(z.object({ code: z.string(), message: z.string() })),
  overall: z.number(),
  events_considered: z.number(),
})

const MEANING = {
  overall: 'weighted mean of the five below',
  reliability: 'share of completed tasks, minus downtime',
  accuracy: 'reported quality of the tasks',
  safety: 'number and severity of incidents',
  speed: 'Apdex: full marks up to 2 s, half up to 8 s',
  consistency: 'number and severity of bad days',
}
const NAMES = Object.keys(MEANING) as (keyof typeof MEANING)[]

/**
 * Requests the score, and computes it again from the published rows; returns the overall score.
 *
 * @param events how many were reported
 * @param why lines that explain the step
 * @throws Error when the two differ
 */
export async function showScore(
  baseUrl: string,
  reg: string,
  events: number,
  ...why: string[]
): Promise<number> {
  step('Request the trust score', ...why)
  const path = `/agents/${reg}/trust-score?explain=true`
  const call = { method: 'GET', path, status: 200, shape: scoreShape } as const
  const score = await showCall(`${baseUrl}/api/v1`, call)
  if (score.events_considered !== events) {
    throw new Error(`the score considers ${score.events_considered} events, ${events} were reported`)
  }
  const own = (await verifyScore(baseUrl, reg)).inputs?.score
  if (!own || NAMES.some((name) => own[name] !== score[name]))
    throw new Error('the published rows result in another score')

  say('', 'Computed again from the published rows, with the published algorithm:', '')
  table([
    ['', 'service', 'local', 'weight', 'meaning'],
    ...NAMES.map((name) => [
      name,
      score[name].toFixed(1),
      own[name].toFixed(1),
      name === 'overall' ? '' : `${WEIGHTS_PERCENT[name]} %`,
      MEANING[name],
    ]),
  ])
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
