import pg from 'pg'
import { TIER_AGENT_LIMIT } from '../src/operators/tiers.ts'
import { readStackFile } from './stack-file.ts'

const USAGE = `usage: npm run -s admin -- suspend <email>
       npm run -s admin -- unsuspend <email>
       npm run -s admin -- tier <email> ${Object.keys(TIER_AGENT_LIMIT).join('|')}`

/**
 * Changes an operator's status or tier.
 *
 * @param databaseUrl the owner of the database
 * @param args `suspend <email>`, `unsuspend <email>` or `tier <email> <tier>`
 * @returns a line that says what is now
 * @throws Error when the words are off or no operator has this address
 */
export async function administer(databaseUrl: string, args: readonly string[]): Promise<string> {
  const [action = '', email = '', tier = ''] = args
  const change = changeOf(action, tier)
  if (!change || !email) throw new Error(USAGE)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query(
      `update operators set ${change.set}, updated_at = $2 where lower(email) = lower($1)
       returning email, status, tier, agent_limit`,
      [email, new Date().toISOString(), ...change.values],
    )
    if (rows.length === 0) throw new Error(`there is no operator ${email}`)
    return rows.map((row) => `${row.email}: ${row.status}, ${row.tier}, ${row.agent_limit} agents`).join('\n')
  } finally {
    await client.end()
  }
}

function changeOf(action: string, tier: string): { set: string; values: unknown[] } | null {
  if (action === 'suspend') return { set: "status = 'suspended'", values: [] }
  if (action === 'unsuspend') return { set: "status = 'active'", values: [] }
  const limit = Object.entries(TIER_AGENT_LIMIT).find(([name]) => name === tier)?.[1]
  if (action === 'tier' && limit !== undefined) {
    return { set: 'tier = $3, agent_limit = $4', values: [tier, limit] }
  }
  return null
}

if (import.meta.main) {
  try {
    const databaseUrl = process.env.DATABASE_URL ?? readStackFile().database_url
    console.log(await administer(databaseUrl, process.argv.slice(2)))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
