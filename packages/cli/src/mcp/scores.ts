import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { Failure, requireData } from '../failure.ts'
import { ALGORITHM_VERSION, hashInputs, scoreAgent } from '../registry.ts'
import { answer, READS_ONLY, type Registry, reg, resultOf, score } from './tool.ts'

const DIMENSIONS = ['reliability', 'accuracy', 'safety', 'speed', 'consistency'] as const
const NUMBERS = ['overall', ...DIMENSIONS, 'events_considered', 'provisional'] as const

const dimension = z.object({
  score,
  weight: z.number().describe('Its share in overall'),
  good: z.number().describe('Good evidence, in tasks'),
  bad: z.number().describe('Bad evidence, in tasks'),
  confidence: z.number().describe('0 to 1: how far points above 50 count'),
})

const explained = z.object({
  reg: z.string(),
  message: z.string().nullable().describe('Why there is no score; then all else is null'),
  overall: score.nullable(),
  provisional: z.boolean().nullable().describe('true: the record is too short to count in full'),
  events_considered: z.int().nullable(),
  window_days: z.int().nullable(),
  evidence: z
    .object({ self: z.number(), peer: z.number(), independent: z.number() })
    .nullable()
    .describe(
      'Whose word it is, as shares: self: the operator of the agent; peer: another identified person; independent: an established platform. With self alone the score ends at 59.0, with peer at 77.2',
    ),
  dimensions: z.record(z.string(), dimension).nullable(),
  risk_factors: z
    .array(z.object({ code: z.string(), dimension: z.string(), message: z.string() }))
    .nullable(),
})

const recomputed = z.object({
  reg: z.string(),
  day: z.string(),
  same: z.boolean().describe('Whether the published score is the one that its published rows give'),
  differing: z.array(z.string()).describe('What differs; empty when it is the same'),
  published_overall: score.nullable(),
  recomputed_overall: score.nullable().describe('null: too little activity for a score'),
  rows: z.int(),
  sha256: z.string(),
  algorithm_version: z.string(),
})

/** Tools that explain a score, and compute it again. */
export function addScores(server: McpServer, { client }: Registry): void {
  server.registerTool(
    'explain_trust_score',
    {
      title: 'Explain a trust score',
      description:
        'Says what the trust score of an agent is made of: five dimensions with their evidence, whose word that is, how sure it is, and what to beware of. Use it to answer why a score is high or low. A score says how the agent was reported to have worked, not that it will do your task well.',
      inputSchema: z.object({ reg }),
      outputSchema: explained,
      annotations: READS_ONLY,
    },
    ({ reg }) =>
      answer(async () => {
        const params = { path: { reg }, query: { explain: true } }
        const body = requireData(await client.GET('/agents/{reg}/trust-score', { params }))
        if ('status' in body) return resultOf(withoutScore(reg, body.message))
        if (!('evidence' in body)) throw new Failure('this registry does not explain its scores')
        const result: z.infer<typeof explained> = {
          reg,
          message: null,
          overall: body.overall,
          provisional: body.provisional,
          events_considered: body.events_considered,
          window_days: body.computation_window_days,
          evidence: body.evidence,
          dimensions: Object.fromEntries(
            DIMENSIONS.map((name) => {
              const { good, bad, confidence } = body.dimensions[name]
              return [name, { score: body[name], weight: body.weights[name], good, bad, confidence }]
            }),
          ),
          risk_factors: body.risk_factors,
        }
        return resultOf(result)
      }),
  )
  server.registerTool(
    'recompute_score',
    {
      title: 'Compute a score again',
      description:
        'Computes the trust score of an agent on this machine from the published rows, by the published algorithm, and says whether the registry shows the same. For a past day give its date. It does not look into the log: verify_agent does both.',
      inputSchema: z.object({
        reg,
        date: z.iso.date().optional().describe('A UTC day, as 2026-11-20; left out, now'),
      }),
      outputSchema: recomputed,
      annotations: READS_ONLY,
    },
    ({ reg, date }) =>
      answer(async () => {
        const params = { path: { reg }, ...(date && { query: { date } }) }
        const body = requireData(await client.GET('/agents/{reg}/trust-score/inputs', { params }))
        const { algorithm_version, rows, score: published, sha256, today: day } = body
        if (algorithm_version !== ALGORITHM_VERSION) {
          throw new Failure(
            `the score is of algorithm ${algorithm_version}, this program knows ${ALGORITHM_VERSION}`,
          )
        }
        const own = scoreAgent(rows, day)
        const differing: string[] = NUMBERS.filter((name) => own?.[name] !== published?.[name])
        if ((await hashInputs(rows)) !== sha256) differing.push('sha256')
        const result: z.infer<typeof recomputed> = {
          reg,
          day,
          same: differing.length === 0,
          differing,
          published_overall: published?.overall ?? null,
          recomputed_overall: own?.overall ?? null,
          rows: rows.length,
          sha256,
          algorithm_version,
        }
        return resultOf(result)
      }),
  )
}

function withoutScore(reg: string, message: string): z.infer<typeof explained> {
  return {
    reg,
    message,
    overall: null,
    provisional: null,
    events_considered: null,
    window_days: null,
    evidence: null,
    dimensions: null,
    risk_factors: null,
  }
}
