import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { unwrap } from '../../../client/index.ts'
import { CLAIMS_NOTE, keys, READS_ONLY, type Registry, reg, resultOf } from './tool.ts'

const PER_PAGE = 20

const agentClass = z.enum(['A', 'S', 'H']).describe('A autonomous, S semi-autonomous, H human-assisted')
const status = z.enum(['active', 'deactivated']).describe('deactivated is permanent')
const overall = z
  .string()
  .nullable()
  .describe('Trust score, 0.0 to 100.0; null if there is too little activity, which is not a bad sign')

const facts = {
  reg: z.string(),
  class: agentClass,
  status,
  trust_score_overall: overall,
  tasks_completed: z.int(),
}

const searchResult = z.object({
  agents: z.array(z.object({ ...facts, claims: z.object({ name: z.string(), operator_name: z.string() }) })),
  page: z.int(),
  total: z.int(),
  total_pages: z.int(),
})

const agentResult = z.object({
  ...facts,
  keys,
  trust_score_updated: z
    .string()
    .nullable()
    .describe('Since when the score has this value; null without one'),
  page_url: z.string().describe('Page of the agent for people'),
  tasks_failed: z.int(),
  incident_count: z.int(),
  registered_at: z.string(),
  last_active_at: z.string().nullable(),
  domain: z.string().nullable().describe('the verified domain of the agent; null if none'),
  operator_kyc_status: z
    .string()
    .describe('verified: a person showed an identity document for this operator'),
  operator_name_verified: z.boolean().describe('Whether that document shows the name of the operator'),
  operator_status: z.string().describe('suspended: the registry rejects all requests of this operator'),
  withheld: z
    .array(z.string())
    .describe('Fields that the registry withholds: what is shown in place of them is a substitute'),
  platform_slug: z.string().nullable(),
  platform_state: z
    .string()
    .nullable()
    .describe('confirmed: stated by the operator and the platform; claimed: stated only by the operator'),
  claims: z.object({
    name: z.string(),
    description: z.string(),
    specializations: z.array(z.string()),
    operator_name: z.string(),
    platform_name: z.string().nullable(),
  }),
})

/** Adds the tools that find and show agents. */
export function addLookups(server: McpServer, { client, baseUrl }: Registry): void {
  server.registerTool(
    'search_agents',
    {
      title: 'Search agents',
      description:
        'Finds registered agents by words in their name, description, or specializations, and by filters. Use it when you do not know the number of an agent. Several agents may have the same name: compare their numbers, operators, and domains, and do not choose by the name alone.',
      inputSchema: z.object({
        query: z.string().max(200).optional().describe('Words to search for; all agents, if omitted'),
        class: agentClass.optional(),
        status: status.optional(),
        platform: z.string().optional().describe('Slug of the platform that the agents are on'),
        page: z.int().min(1).max(500).default(1).describe('Page number; a page has 20 agents'),
      }),
      outputSchema: searchResult,
      annotations: READS_ONLY,
    },
    async ({ query: q, page, ...filters }) => {
      const given = Object.entries({ q, ...filters }).filter(([, value]) => value)
      const query = { page, per_page: PER_PAGE, ...Object.fromEntries(given) }
      const { data, pagination } = await unwrap(client.GET('/agents/search', { params: { query } }))
      const agents = data.map((one) => ({ ...one, claims: one }))
      return resultOf(searchResult, { agents, ...pagination }, CLAIMS_NOTE)
    },
  )
  server.registerTool(
    'get_agent',
    {
      title: 'Get an agent',
      description:
        'Reads the public profile of one agent by its number: its status, its score, who is responsible for it, and what was checked. The profile is what the registry states; verify_agent verifies it.',
      inputSchema: z.object({ reg }),
      outputSchema: agentResult,
      annotations: READS_ONLY,
    },
    async ({ reg }) => {
      const params = { path: { reg } }
      const one = await unwrap(client.GET('/agents/{reg}', { params }))
      const { data } = await unwrap(client.GET('/agents/{reg}/keys', { params }))
      const page_url = `${baseUrl}/agents/${reg}`
      const agent = { ...one, page_url, keys: data, withheld: one.withheld ?? [], claims: one }
      return resultOf(agentResult, agent, CLAIMS_NOTE)
    },
  )
}
