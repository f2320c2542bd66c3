import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LOG_FILE } from '../../local/worker.ts'
import { type Harness, ownStack } from '../support/harness.ts'
import { expectFinding } from '../support/log/story.ts'
import { newLoggedAgents, withoutTriggers } from '../support/logged.ts'

const KEPT = ['tiles', 'bundles', 'batches', 'ranges', 'facts', 'heads'].map((name) => `tlog_${name}`)

async function loggedAgent(h: Harness) {
  const [agent] = await newLoggedAgents(h, 1)
  expect(await agent?.stranger()).toMatchObject({ status: 0, err: '' })
  return agent as NonNullable<typeof agent>
}

it('a tree that was changed by hand is no longer signed, and verification detects it', async () => {
  await using own = await ownStack({ checked: false })
  const { stranger, report } = await loggedAgent(own)
  await withoutTriggers(
    own,
    ['tlog_tiles'],
    'update tlog_tiles set hashes = set_byte(hashes, 40, (get_byte(hashes, 40) + 1) % 256) where level = 0 and n = 0',
  )
  const checkpoint = async () => (await fetch(`${own.base_url}/log/checkpoint`)).text()
  const before = await checkpoint()
  await report(new Date(), 3)
  await expect(own.cron()).rejects.toThrow('the scheduled jobs failed')
  expect(readFileSync(join(own.dir, LOG_FILE), 'utf8')).toContain('"tlog_forked"')
  expect(await own.sql('select paused from tlog_state')).toEqual([{ paused: 'fork' }])
  expect(await checkpoint()).toBe(before)
  expectFinding(await stranger(), 'the tiles do not result in the signed root')
})

it('verification detects a log that was rewritten consistently with the same key', async () => {
  await using own = await ownStack({ checked: false })
  const { id, stranger, report, state } = await loggedAgent(own)
  const seen = readFileSync(state, 'utf8')
  const forget = { method: 'POST', headers: { Authorization: `Bearer ${own.redis_rest_token}` } }
  await fetch(own.redis_rest_url, { ...forget, body: JSON.stringify(['DEL', 'tlog:head:localhost/log']) })
  await withoutTriggers(
    own,
    [...KEPT, 'tlog_state', 'activity_events', 'agents'],
    ...KEPT.map((table) => `truncate ${table}`),
    'update tlog_state set size = 0',
    `update activity_events set metadata = '{}' where agent_id = '${id}' and seq = 90`,
    'update agent_stats set logged_events = 0, unlogged_since = last_active_at',
    'delete from tlog_outbox',
    'update agents set revision = 1',
    `insert into tlog_outbox (kind, subject, rev, agent_id, facts, texts)
     select 'agent', id::text, 1, id, agent_facts(agents), agent_texts(agents) from agents`,
    'insert into tlog_days select distinct day, agent_id from agent_evidence on conflict do nothing',
  )
  await report(new Date(), 20)
  await expect(own.cron()).rejects.toThrow('the scheduled jobs failed')
  expect(await own.sql('select size::integer, paused from tlog_state')).toEqual([
    { size: 0, paused: 'witness' },
  ])
  await fetch(`${own.witness_url}/logs`, { method: 'PUT', body: '[]' }) // as if it were asked no longer
  await own.sql('update tlog_state set paused = null')
  await own.cron()
  await own.cron()
  const found = await stranger()
  expectFinding(found, /the log was rewritten: its first \d+ leaves are not those that were signed on/)
  expect(readFileSync(state, 'utf8')).toBe(seen)
})
