import { expect, it } from 'vitest'
import { TIERS } from '../../src/db/enums.ts'
import { CEILINGS, type CeilingName } from '../../src/db/tiers.ts'
import { syncTable } from '../support/docs-table.ts'

const WHAT = {
  active_agents: 'active agents',
  registrations_per_day: 'registrations per UTC day',
  changes_per_day: 'changes to an agent per UTC day',
  live_keys: 'active API keys, including those of platforms',
  key_requests_per_minute: 'maximum rate limit of an API key, in requests per minute',
  live_sessions: 'active sessions',
  platforms: 'platforms',
  events_per_day: 'events per agent and UTC day',
  metadata_bytes_per_day: 'bytes of metadata per agent and UTC day',
} satisfies Record<CeilingName, string>

it('docs/api.md has the quotas of every tier', () => {
  const rows = Object.entries(WHAT).map(([name, what]) => {
    const ceilings = TIERS.map((tier) => CEILINGS[tier][name as CeilingName].toLocaleString('en-US'))
    return `| ${[what, ...ceilings].join(' | ')} |`
  })
  const table = [`| what | ${TIERS.join(' | ')} |`, `|---|${TIERS.map(() => '--:|').join('')}`, ...rows].join(
    '\n',
  )
  const { asIs, wanted } = syncTable('api.md', 'ceilings', table)
  expect(asIs).toBe(wanted)
})
