import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { ownStack } from '../support/harness.ts'
import { expectFinding } from '../support/log/story.ts'
import { newLoggedAgents, withoutTriggers } from '../support/logged.ts'

// Changes that the database owner makes with all triggers disabled are detected from outside, even without a witness
// that has seen a head.

const TESTS = 12

const own = await ownStack({ checked: false })
let agents: Awaited<ReturnType<typeof newLoggedAgents>>
beforeAll(async () => {
  const faults = { method: 'POST', body: JSON.stringify({ forbidden: true }) }
  expect((await fetch(`${own.witness_url}/-/faults`, faults)).status).toBe(200)
  agents = await newLoggedAgents(own, TESTS)
})
afterAll(own.stop)

/** An unchanged agent, whose log a stranger has verified before. */
async function loggedAgent() {
  const agent = agents.pop()
  expect(await agent?.stranger()).toMatchObject({ status: 0, err: '' })
  return agent as NonNullable<typeof agent>
}

const tamper = (table: string, ...statements: string[]) => withoutTriggers(own, [table], ...statements)

describe('the detection of a change by the database owner', () => {
  it('lets a stranger find one changed byte in one of the newest 50 events', async () => {
    const { id, stranger } = await loggedAgent()
    const head = await fetch(`${own.base_url}/log/checkpoint`)
    expect((await head.text()).split('\n').filter((line) => line.startsWith('— '))).toHaveLength(1)
    await tamper(
      'activity_events',
      `update activity_events set metadata = jsonb_set(metadata, '{n}', '99') where agent_id = '${id}' and seq = 90`,
    )
    expectFinding(await stranger(), 'event 90 does not match the log (other_facts)')
  })

  it('lets the operator find one changed byte in an older event', async () => {
    const { id, stranger, owner } = await loggedAgent()
    await tamper(
      'activity_events',
      `update activity_events set metadata = jsonb_set(metadata, '{n}', '99') where agent_id = '${id}' and seq = 12`,
    )
    expect(await stranger()).toMatchObject({ status: 0 })
    expectFinding(await owner(), 'event 12 does not match the log (other_facts)')
  })

  it('lets a stranger find a deleted event among the newest 50, and the operator an older one', async () => {
    const { id, stranger, owner } = await loggedAgent()
    await tamper('activity_events', `delete from activity_events where agent_id = '${id}' and seq = 20`)
    expectFinding(await owner(), 'events that must be public are not shown: seq 20')
    await tamper('activity_events', `delete from activity_events where agent_id = '${id}' and seq = 80`)
    expectFinding(await stranger(), 'events that must be public are not shown: seq 80')
  })

  it('lets a stranger and the operator find an event inserted in the middle, also after the log has grown', async () => {
    const { id, stranger, owner } = await loggedAgent()
    await tamper(
      'activity_events',
      `update activity_events set seq = -seq where agent_id = '${id}' and seq >= 40`,
      `update activity_events set seq = 1 - seq where agent_id = '${id}' and seq < 0`,
      `insert into activity_events select (jsonb_populate_record(e, '{"id":"${randomUUID()}","seq":40}')).*
       from activity_events e where agent_id = '${id}' and seq = 39`,
      `update agent_stats set events = events + 1, unlogged_since = now() where agent_id = '${id}'`,
    )
    expectFinding(await owner(), 'event 40 does not match the log', 'event 41 does not match the log')
    expectFinding(await stranger(), 'event 48 does not match the log')
    await own.cron()
    expectFinding(await stranger(), 'event 48 does not match the log')
  })

  it('lets anyone who saw an earlier head find a backdated event at the end', async () => {
    const { id, stranger } = await loggedAgent()
    await tamper(
      'activity_events',
      `insert into activity_events select (jsonb_populate_record(e, '{"id":"${randomUUID()}","seq":97}')).*
       from activity_events e where agent_id = '${id}' and seq = 60`,
      `update agent_stats set events = events + 1, unlogged_since = now() where agent_id = '${id}'`,
    )
    await own.cron()
    expectFinding(
      await stranger(),
      /event 97 is dated \S+, but was not in the log on \S+: backdated, or logged late/,
      'event 97 has an earlier time than the previous event',
    )
  })

  it('lets a stranger find a rewritten score of last week', async () => {
    const { id, stranger } = await loggedAgent()
    const day = utcDay(new Date(Date.now() - 3 * DAY_MS))
    const rewrite = `update trust_scores set overall = 99.9 where agent_id = '${id}' and day = '${day}'`
    await tamper('trust_scores', rewrite)
    expectFinding(await stranger(), new RegExp(`overall of ${day} is shown as 99.9, the log has \\d+\\.\\d`))
  })

  it('lets a stranger find a score rewritten with triggers enabled, by the new leaf of its day', async () => {
    const { id, stranger } = await loggedAgent()
    const day = utcDay(new Date(Date.now() - 3 * DAY_MS))
    await own.sql('update trust_scores set overall = 99.9 where agent_id = $1 and day = $2', [id, day])
    await own.cron()
    expectFinding(
      await stranger(),
      `note  day ${day} was corrected: revision 2 counts`,
      new RegExp(`day ${day}: overall is 99.9, must be \\d+\\.\\d`),
    )
  })

  it('lets a stranger find rewritten rows of a finished day', async () => {
    const { id, stranger } = await loggedAgent()
    const day = utcDay(new Date(Date.now() - 3 * DAY_MS))
    await own.sql(
      'update agent_evidence set completed = completed + 1, failed = failed - 1 where agent_id = $1 and day = $2',
      [id, day],
    )
    expectFinding(
      await stranger(),
      new RegExp(`the rows shown for \\S+ are not those of the log: ${day} self: completed`),
    )
  })

  it('lets a stranger find a changed source among the newest 50 events, and the operator in an older one', async () => {
    const { id, stranger, owner } = await loggedAgent()
    const change = (seq: number) =>
      tamper(
        'activity_events',
        `update activity_events set source = 'independent' where agent_id = '${id}' and seq = ${seq}`,
      )
    await change(15)
    expect(await stranger()).toMatchObject({ status: 0 })
    expectFinding(await owner(), 'event 15 does not match the log')
    await change(85)
    expectFinding(await stranger(), 'event 85 does not match the log')
  })

  it('lets a stranger find a changed platform_since of an agent', async () => {
    const { id, stranger } = await loggedAgent()
    await tamper('agents', `update agents set platform_since = '2020-01-01' where id = '${id}'`)
    expectFinding(await stranger(), 'platform_since is shown as "2020-01-01T00:00:00.000Z", the log has null')
  })

  it('lets a stranger find facts of an agent that differ from its leaf', async () => {
    const { id, stranger } = await loggedAgent()
    await withoutTriggers(
      own,
      ['agents', 'tlog_facts'],
      `update agents set name = 'Another' where id = '${id}'`,
      `update tlog_facts set facts = replace(facts, '"Scout"', '"Another"') where agent_id = '${id}' and kind = 'agent'`,
    )
    expectFinding(await stranger(), 'revision 1 of the agent does not match the log')
  })

  it('does not change the state file of a stranger after a finding', async () => {
    const { state, stranger } = await loggedAgent()
    const heads = () => JSON.parse(readFileSync(state, 'utf8')).heads.length
    const before = heads()
    await tamper(
      'tlog_tiles',
      `update tlog_tiles set hashes = set_byte(hashes, 3, (get_byte(hashes, 3) + 1) % 256)`,
    )
    expectFinding(await stranger(), 'the tiles do not result in the signed root')
    await tamper(
      'tlog_tiles',
      `update tlog_tiles set hashes = set_byte(hashes, 3, (get_byte(hashes, 3) + 255) % 256)`,
    )
    expect(await stranger()).toMatchObject({ status: 0 })
    expect(heads()).toBe(before)
  })
})
