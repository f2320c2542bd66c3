import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { each, SOURCES } from '../db/enums.ts'
import { ROLLUP_FIELDS, type RollupField } from '../db/rollup-fields.ts'
import { count, itemsOf, regNumber, SOURCE_MEANING, timestamp } from '../wire/responses.ts'
import { DIMENSIONS, READINGS } from './dimensions.ts'
import { RISKS } from './risks.ts'
import { SCORES, WEIGHTS_PERCENT } from './score.ts'
import { WINDOW_DAYS } from './window.ts'

const points = (example: number, description: string) =>
  z.number().min(0).max(100).multipleOf(0.1).meta({ example, description })

const scores = {
  overall: points(94.2, 'Weighted sum of the five dimensions'),
  reliability: points(95.1, 'Share of tasks completed, reduced by downtime'),
  accuracy: points(88.8, 'Correctness of outputs'),
  safety: points(
    96.9,
    'Inverse of the frequency and severity of incidents, `error` events, and other events of severity `critical`',
  ),
  speed: points(96.9, 'Response times'),
  consistency: points(
    95.5,
    'How even the results are: lowered by days on which a large share of the tasks failed',
  ),
  events_considered: count(250, 'Number of events in the window'),
}

const day = z.iso.date().meta({ description: 'UTC day', example: '2026-11-21' })

const version = z.string().meta({ description: 'Version of the scoring algorithm', example: '1.0' })

const shared = {
  reg: regNumber,
  ...scores,
  computation_window_days: count(90, 'Length of the rolling window in days'),
  algorithm_version: version,
  computed_at: timestamp.meta({ description: 'Time of the computation' }),
}

const trustScore = z
  .object(shared)
  .meta({ id: 'TrustScore', description: 'Trust score of an agent; each value is from 0.0 to 100.0' })

const share = (example: number, description: string) =>
  z.number().min(0).max(1).meta({ example, description })

const trust = {
  provisional: z.boolean().meta({
    description:
      'True if `confidence` is below 1, because the evidence in favor of the agent is worth fewer than 50 tasks',
    example: false,
  }),
  confidence: share(
    1,
    'Factor from 0 to 1 for reliability and safety: a value above 50 in either dimension becomes 50 + `confidence` × (value − 50)',
  ),
}

const evidence = z.number().min(0)

const explainedDimension = z
  .object({
    good: evidence.meta({ description: 'What counted for the agent, in tasks', example: 153.5556 }),
    bad: evidence.meta({ description: 'What counted against the agent, in tasks', example: 3.1111 }),
    reading: z.enum(READINGS).meta({
      description:
        'Which computation determined the value: by task, by day, over the newest 70 tasks that others reported (`fortnight`), or the cap after a critical event. The one with the lowest result is used; `good` and `bad` are its inputs or, for the cap, those of the computation by task',
    }),
    confidence: share(1, 'Factor from 0 to 1: a value above 50 becomes 50 + `confidence` × (value − 50)'),
  })
  .meta({ id: 'ExplainedDimension', description: 'Basis of the score of a dimension' })

const riskFactor = z
  .object({
    code: z.enum(RISKS.map(({ code }) => code)).meta({
      description: RISKS.map(({ code, when }) => `\`${code}\`: ${when}`).join('; '),
      example: 'ACCURACY_PARTIAL_EVIDENCE',
    }),
    dimension: z.enum(SCORES).meta({
      description: 'The dimension that the risk affects; `overall` if it affects all of them',
      example: 'accuracy',
    }),
    message: z.string().meta({
      description: 'Human-readable explanation',
      example: '40.8% of the completed tasks were reported with grades',
    }),
  })
  .meta({ id: 'RiskFactor', description: 'A risk that the score does not show on its own' })

const explainedTrustScore = z
  .object({
    ...shared,
    ...trust,
    weights: z
      .object(each(DIMENSIONS, (name) => share(WEIGHTS_PERCENT[name] / 100, `Weight of ${name}`)))
      .meta({ description: 'Weight of each dimension in `overall`; the weights add up to 1' }),
    evidence: z
      .object({
        self: share(0.2, `Share reported by ${SOURCE_MEANING.self}`),
        unproven: share(0, `Share reported by ${SOURCE_MEANING.unproven}`),
        peer: share(0, `Share reported by ${SOURCE_MEANING.peer}`),
        independent: share(0.8, `Share reported by ${SOURCE_MEANING.independent}`),
      })
      .meta({ description: 'Shares of the events in the window by their source; the shares add up to 1' }),
    dimensions: z
      .object(each(DIMENSIONS, () => explainedDimension))
      .meta({ description: 'Basis of each dimension' }),
    risk_factors: z.array(riskFactor).meta({ description: 'Risks to consider; empty if there are none' }),
  })
  .meta({ id: 'ExplainedTrustScore', description: 'Trust score, and how it was computed' })

/** The description of each counter of a rollup row, with an example. */
const COUNTERS: Record<RollupField, [description: string, example: number]> = {
  events: ['Events of any type', 5],
  completed: ['Completed tasks', 5],
  failed: ['Failed tasks', 0],
  graded_count: ['Completed tasks with a grade (`quality` or `correct`)', 2],
  graded_milli: ['Sum of the grades, in thousandths', 1_900],
  latency_count: ['Completed tasks with a response time (`response_ms`)', 5],
  latency_satisfied: ['Response times up to 2 s', 4],
  latency_tolerating: ['Response times above 2 s, up to 8 s', 1],
  incidents_info: ['Incidents of severity `info`, and `error` events of severity `warning`', 0],
  incidents_warning: ['Incidents of severity `warning`, and `error` events of severity `error`', 0],
  incidents_error: ['Incidents of severity `error`', 0],
  incidents_critical: ['Events of any type with severity `critical`', 0],
  down_seconds: ['Seconds of unplanned downtime, in intervals that ended on this day', 0],
}

/** A rollup row; its fields are in the order of the canonical form. */
const rollupRow = z
  .object({
    day,
    source: z.enum(SOURCES).meta({ description: 'Source of the reports', example: 'independent' }),
    ...each(ROLLUP_FIELDS, (field) => {
      const [description, example] = COUNTERS[field]
      return count(example, description).min(0)
    }),
  })
  .meta({ id: 'RollupRow', description: 'Counters of the reports of one source on one UTC day' })

const trustInputs = z
  .object({
    reg: regNumber,
    today: day.meta({
      description:
        'Last UTC day of the window; for a deactivated agent, not later than the day of its deactivation',
    }),
    algorithm_version: version,
    rows: z
      .array(rollupRow)
      .max(WINDOW_DAYS * SOURCES.length)
      .meta({
        description:
          'One row per source and UTC day with events, sorted by day (oldest first), then by source (`self`, `unproven`, `peer`, `independent`)',
      }),
    open_outages: z.number().int().min(0).max(2).meta({
      description:
        'How many sides (the operator; others) say that the agent has been down since before `today`: a shutdown of severity `error` or `critical` without a later `startup` or `task_completed`',
      example: 0,
    }),
    score: z
      .object({ ...scores, ...trust })
      .nullable()
      .meta({
        description: 'Score that the algorithm computes from the rows; null if there are too few tasks',
      }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({
        description:
          'SHA-256, in lowercase hex, of a JSON array without whitespace. It contains an array for each row, with the values of the row in the order in which `RollupRow` lists its fields; if `open_outages` is not 0, it is the last element of the outer array',
        example: 'b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78',
      }),
  })
  .meta({ id: 'TrustInputs', description: 'Inputs of a trust score' })

const pastScore = z
  .object({
    day: day.meta({ description: 'The UTC day of the score' }),
    ...scores,
    computed_at: timestamp.meta({ description: 'Time of the computation' }),
  })
  .meta({
    id: 'PastTrustScore',
    description: 'Final trust score of a past UTC day, or the most recent score of the current day',
  })

const pastScores = z
  .object({ data: itemsOf(pastScore, 'The scores, newest first') })
  .meta({ id: 'PastTrustScoreList', description: 'Daily trust scores of an agent' })

const insufficientData = z
  .object({
    reg: regNumber,
    status: z
      .literal('insufficient_data')
      .meta({ description: 'Always `insufficient_data`; a score has no `status`' }),
    message: z.string().meta({
      description: 'What is missing, as text',
      example: 'a score requires 10 tasks in 90 days; 4 more needed',
    }),
  })
  .meta({ id: 'InsufficientData', description: 'Response for an agent that has too few tasks for a score' })

/** The largest shape is first, because parsers that take the first match would drop its additional fields. */
const anyTrustScore = z.union([explainedTrustScore, trustScore, insufficientData]).meta({
  id: 'AnyTrustScore',
  description:
    '`InsufficientData` if the agent has too few tasks; only this schema has `status`. Otherwise `ExplainedTrustScore` if `explain=true`; only this schema has `weights`. Otherwise `TrustScore`',
})

const SCORE = trustScore.parse(
  Object.fromEntries(Object.entries(shared).map(([name, field]) => [name, field.meta()?.example])),
)

export const responses = describeRoutes('Trust scores', {
  getTrustScore: {
    summary: 'Get the trust score of an agent',
    description:
      'The score is computed from the current events at each request. An agent with fewer than 10 tasks in the last 90 days (the window) has no score; the response then has `status: insufficient_data`. With `explain=true`, the response also shows how the score was computed.',
    responses: {
      200: json(anyTrustScore, 'The score, the explained score, or `insufficient_data`', SCORE),
    },
    errors: ['NOT_FOUND'],
  },
  getTrustInputs: {
    summary: 'Get the inputs of a trust score',
    description:
      'Returns what the score is computed from, so that anyone can recompute it ([how](/docs/trust-score#check-a-score-yourself)). With `date`, the window ends with that UTC day; the inputs of a past day do not change.',
    responses: { 200: json(trustInputs, 'The rows of the window, their hash, and the score') },
    errors: ['NOT_FOUND'],
  },
  listTrustScores: {
    summary: 'List the daily trust scores of an agent, newest first, one per UTC day at most',
    description: 'The score of a past day is final; the score of the current day is the most recent one.',
    responses: { 200: json(pastScores, 'The scores') },
    errors: ['NOT_FOUND'],
  },
})
