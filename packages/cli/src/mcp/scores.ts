import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { unwrap } from '../../../client/index.ts'
import { Failure } from '../failure.ts'
import { READS_ONLY, type Registry, reg, resultOf, score } from './tool.ts'

const DIMENSIONS = ['reliability', 'accuracy', 'safety', 'speed', 'consistency'] as const

const dimension = z.object({
  score,
  weight: z.number().describe('Weight of the dimension in overall'),
  good: z.number().describe('Good evidence, in tasks'),
  bad: z.number().describe('Bad evidence, in tasks'),
  confidence: z.number().describe('0 to 1: the factor that is applied to points above 50'),
})

const explained = z.object({
  reg: z.string(),
  message: z.string().nullable().describe('Why there is no score; all other fields are then null'),
  overall: score.nullable(),
  provisional: z.boolean().nullable().describe('true: the record is too short to count in full'),
  events_considered: z.int().nullable(),
  window_days: z.int().nullable(),
  evidence: z
    .object({ self: z.number(), unproven: z.number(), peer: z.number(), independent: z.number() })
    .nullable()
    .describe(
      'Share of events by who reported them. self: the operator of the agent; unproven: the platform of a verified person, while the identity of the operator is not known; peer: the platform of another verified person; independent: an established platform. With self and unproven only, the score is at most 59.0; with peer, at most 77.2',
    ),
  dimensions: z.record(z.string(), dimension).nullable(),
  risk_factors: z
    .array(z.object({ code: z.string(), dimension: z.string(), message: z.string() }))
    .nullable(),
})

const NO_SCORE = {
  overall: null,
  provisional: null,
  events_considered: null,
  window_days: null,
  evidence: null,
  dimensions: null,
  risk_factors: null,
}

/** Adds the tool that explains scores. */
export function addScores(server: McpServer, { client }: Registry): void {
  server.registerTool(
    'explain_trust_score',
    {
      title: 'Explain a trust score',
      description:
        'Explains the trust score of an agent: five dimensions with their evidence, who reported it, the confidence, and risks to consider. Use it to answer why a score is high or low. A score states how the agent was reported to have worked, not that it will do your task well.',
      inputSchema: z.object({ reg }),
      outputSchema: explained,
      annotations: READS_ONLY,
    },
    async ({ reg }) => {
      const params = { path: { reg }, query: { explain: true } }
      const body = await unwrap(client.GET('/agents/{reg}/trust-score', { params }))
      if ('status' in body) return resultOf(explained, { ...NO_SCORE, reg, message: body.message })
      if (!('evidence' in body)) throw new Failure('this registry does not explain its scores')
      const dimensions = DIMENSIONS.map((name) => {
        return [name, { ...body.dimensions[name], score: body[name], weight: body.weights[name] }] as const
      })
      return resultOf(explained, {
        ...body,
        message: null,
        window_days: body.computation_window_days,
        dimensions: Object.fromEntries(dimensions),
      })
    },
  )
}
