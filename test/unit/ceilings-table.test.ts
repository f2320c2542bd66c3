import { expect, it } from 'vitest'
import { TIERS } from '../../src/db/enums.ts'
import { CEILINGS, type CeilingName } from '../../src/db/tiers.ts'
import { syncTable } from '../support/docs-table.ts'

const WHAT = {
  active_agents: 'active agents',
  registrations_per_day: 'registrations a UTC day',
  changes_per_day: 'changes of an agent a UTC day',
  live_keys: 'live API keys, those of platforms among them',
  key_requests_per_minute: 'highest limit of an API key, requests a minute',
  live_sessions: 'live sessions',
  platforms: 'platforms',
  events_per_day: 'events of an agent a UTC day',
  metadata_bytes_per_day: 'bytes of metadata of an agent a UTC day',
} satisfies Record<CeilingName, string>

it('docs/api.md has the ceilings of every tier', () => {
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
