import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { STANDINGS, verifyAgent } from '../../../verify/index.ts'
import { CLAIMS_NOTE, keys, READS_ONLY, type Registry, reg, resultOf, score } from './tool.ts'

const check = z.object({
  name: z.string(),
  ok: z.boolean().nullable().describe('null: it could not be checked'),
  detail: z.string(),
})

const verdict = z.object({
  reg: z.string(),
  verdict: z
    .enum(['verified', 'failed', 'incomplete', 'unknown_agent'])
    .describe(
      'verified: what the registry says is consistent with what it has signed and logged. failed: something does not hold, do not rely on it. incomplete: it could not be found out. unknown_agent: the registry has no agent with this number, do not rely on it',
    ),
  checks: z.array(check),
  active: z.boolean().nullable().describe('Whether the agent is active; null without a valid token'),
  operator_status: z
    .string()
    .nullable()
    .describe('suspended: the registry rejects all requests of this operator'),
  standing: z
    .enum(STANDINGS)
    .nullable()
    .describe(
      'The record in one word, computed here. suspended, critical, poor: do not rely on it. unrated: too little was reported. self_reported: only its operator vouches for it. null: it could not be computed',
    ),
  score: score.nullable(),
  domain: z.string().nullable(),
  keys: keys.nullable(),
  claims: z.object({ name: z.string().nullable(), operator_name: z.string().nullable() }),
})

/** Adds the tool that verifies what the registry states. */
export function addVerification(server: McpServer, { baseUrl }: Registry): void {
  server.registerTool(
    'verify_agent',
    {
      title: 'Verify an agent',
      description:
        'Verifies what the registry states about an agent, without trusting the registry: checks its signed statement, recomputes its score, and looks up its profile, incidents, days, and keys in the transparency log, so it also answers whether a record was changed later; what happened in the last hours may not be in the log yet. Use it before you rely on an agent. Also check active and operator_status: a deactivated agent can be verified, too. It does not prove that whoever shows you this number is that agent.',
      inputSchema: z.object({ reg }),
      outputSchema: verdict,
      annotations: READS_ONLY,
    },
    async ({ reg }, { mcpReq: { signal } }) => {
      const { agent, score, standing, keys, ...found } = await verifyAgent(baseUrl, reg, { signal })
      const text = (name: string) => (typeof agent?.[name] === 'string' ? agent[name] : null)
      const result = {
        reg,
        verdict: found.verdict,
        checks: found.checks,
        active: typeof agent?.active === 'boolean' ? agent.active : null,
        operator_status: text('operator_status'),
        standing,
        score: score?.overall ?? null,
        domain: text('domain'),
        keys: keys && [...keys],
        claims: { name: text('name'), operator_name: text('operator_name') },
      }
      return resultOf(verdict, result, CLAIMS_NOTE)
    },
  )
}
