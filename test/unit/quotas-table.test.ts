import { expect, it } from 'vitest'
import { TIERS } from '../../src/db/enums.ts'
import { QUOTAS, type QuotaName } from '../../src/db/tiers.ts'
import { POLICIES, type Policy } from '../../src/http/limits.ts'
import { readPage, syncTable } from '../support/docs-table.ts'

const WHAT = {
  active_agents: 'active agents',
  registrations_per_day: 'registrations per UTC day, and as many moves of agents to a platform',
  changes_per_day: 'changes to an agent per UTC day',
  account_changes_per_day: 'changes to the account per UTC day',
  live_keys: 'active API keys, including those of platforms',
  key_requests_per_minute: 'maximum rate limit of an API key, in requests per minute',
  live_sessions: 'active sessions',
  platforms: 'platforms',
  events_per_day: 'events per agent and UTC day',
  metadata_bytes_per_day: 'bytes of metadata per agent and UTC day',
  idempotency_bytes_per_day: 'bytes of responses to reports stored for `Idempotency-Key` per UTC day',
} satisfies Record<QuotaName, string>

it('docs/use/api.md has the quotas of every tier', () => {
  const rows = Object.entries(WHAT).map(([name, what]) => {
    const quotas = TIERS.map((tier) => QUOTAS[tier][name as QuotaName].toLocaleString('en-US'))
    return `| ${[what, ...quotas].join(' | ')} |`
  })
  const table = [`| what | ${TIERS.join(' | ')} |`, `|---|${TIERS.map(() => '--:|').join('')}`, ...rows].join(
    '\n',
  )
  const { asIs, wanted } = syncTable('use/api.md', 'quotas', table)
  expect(asIs).toBe(wanted)
})

const CALLERS: Record<string, Policy[]> = {
  'on public endpoints': ['public', 'sign-in'],
  'on the transparency log': ['log'],
  'on badges': ['badge'],
  'an unsubscribe link': ['unsubscribe'],
  'a session': ['session', 'strict-read', 'strict'],
  'an API key': ['key'],
}

it.each(Object.entries(CALLERS))('docs/use/api.md has the rate limits of callers %s', (caller, policies) => {
  const [, cell = ''] = new RegExp(`^\\| .*${caller}.* \\| (.*) \\|$`, 'm').exec(readPage('use/api.md')) ?? []
  const numbers = cell.match(/\d+(,\d{3})*/g)?.map((text) => Number(text.replace(',', '')))
  expect(numbers?.slice(0, policies.length)).toEqual(policies.map((name) => POLICIES[name].limit))
})
