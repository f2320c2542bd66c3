import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentVerdict } from '../../packages/verify/index.ts'
import { administer } from '../../scripts/admin.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { ownStack } from '../support/harness.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { newLoggedAgents, withoutTriggers } from '../support/logged.ts'
import { runBare } from '../support/workerd.ts'

// Changes that the database owner makes with all triggers disabled are detected from outside, even without a witness
// that has seen a head.

const TESTS = 20

const own = await ownStack({
  checked: false,
  runWorker: ({ vars, ...options }) => runBare({ ...options, vars: { ...vars, LOG_WITNESSES: '' } }),
})
let agents: Awaited<ReturnType<typeof newLoggedAgents>>
beforeAll(async () => {
  agents = await newLoggedAgents(own, TESTS)
})
afterAll(own.stop)

/** An unchanged agent, whose log a stranger has verified before. */
async function loggedAgent() {
  const agent = agents.pop()
  expect(await agent?.stranger()).toMatchObject({ status: 0, err: '' })
  return agent as NonNullable<typeof agent>
}

/** An agent with two logged incidents; its events and incidents by title. */
async function agentWithIncidents() {
  const agent = await loggedAgent()
  const events: Record<string, string> = {}
  for (const title of ['First', 'Second']) {
    const fields = { event_type: 'incident', severity: 'error', metadata: { title, description: 'Long' } }
    events[title] = (await own.report(agent.key, agent.reg, fields)).id
  }
  await own.cron()
  expect(await agent.verdict()).toMatchObject({ verdict: 'verified' })
  const { data } = (await own.api('GET', `/agents/${agent.reg}/incidents`)).body
  const incident = (title: string) => data.find((one: { title: string }) => one.title === title).incident_id
  return { ...agent, events, incident }
}

function expectFailed({ verdict, checks }: AgentVerdict, name: string, detail: string | RegExp): void {
  const check = checks.find((one) => one.name === name)
  expect({ verdict, ok: check?.ok }).toEqual({ verdict: 'failed', ok: false })
  if (typeof detail === 'string') expect(check?.detail).toContain(detail)
  else expect(check?.detail).toMatch(detail)
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
      `note: day ${day} was corrected: revision 2 counts`,
      new RegExp(`day ${day}: overall is "99.9", must be "\\d+\\.\\d"`),
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

  it.each(['source', 'platform'])(
    'lets a stranger find a changed %s among the newest 50 events, and the operator in an older one',
    async (name) => {
      const { id, stranger, owner } = await loggedAgent()
      const change = (seq: number) =>
        tamper(
          'activity_events',
          `update activity_events set ${name} = 'independent' where agent_id = '${id}' and seq = ${seq}`,
        )
      await change(15)
      expect(await stranger()).toMatchObject({ status: 0 })
      expectFinding(await owner(), 'event 15 does not match the log')
      await change(85)
      expectFinding(await stranger(), 'event 85 does not match the log')
    },
  )

  it('lets a stranger find a changed platform_since of an agent', async () => {
    const { id, stranger } = await loggedAgent()
    await tamper('agents', `update agents set platform_since = '2020-01-01' where id = '${id}'`)
    expectFinding(await stranger(), 'the profile: platform_since is "2020-01-01T00:00:00.000Z", must be null')
  })

  it('lets a stranger find facts of an agent that differ from its leaf', async () => {
    const { id, stranger } = await loggedAgent()
    await withoutTriggers(
      own,
      ['agents', 'tlog_facts'],
      `update agents set name = 'Another' where id = '${id}'`,
      `update tlog_facts set texts = replace(texts, '"Scout"', '"Another"') where agent_id = '${id}' and kind = 'agent'`,
    )
    expectFinding(await stranger(), 'revision 1 of the agent does not match the log (other_texts)')
  })

  it('lets every verdict find rewritten facts and incidents of an agent whose texts are withheld', async () => {
    const { id, reg, incident, verdict } = await agentWithIncidents()
    await administer(own.database_url, ['withhold-text', reg])
    await own.cron()
    expect(await verdict()).toMatchObject({ verdict: 'verified' })
    await tamper(
      'incidents',
      `update incidents set severity = 'info' where agent_id = '${id}' and title = 'First'`,
    )
    await tamper('agents', `update agents set registered_at = '2020-01-01' where id = '${id}'`)
    const found = await verdict()
    expectFailed(found, 'profile', 'the profile: registered_at is')
    expectFailed(found, 'incidents', `incident ${incident('First')}: severity is`)
    await tamper('agents', `update agents set class = 'D' where id = '${id}'`)
    expectFailed(await verdict(), 'profile', 'the profile: class is')
  })

  it('lets every verdict find each rewritten field of an incident', async () => {
    const { id, incident, verdict } = await agentWithIncidents()
    const rewrite = (set: string) =>
      tamper('incidents', `update incidents set ${set} where agent_id = '${id}' and title <> 'Second'`)
    for (const [field, value, before] of [
      ['title', `'Nothing happened'`, `'First'`],
      ['severity', `'info'`, `'error'`],
      ['description', `'It was a test'`, `'Long'`],
      ['source', `'independent'`, `'self'`],
      ['platform', `'acme'`, 'null'],
    ]) {
      await rewrite(`${field} = ${value}`)
      expectFailed(await verdict(), 'incidents', `incident ${incident('First')}: ${field} is`)
      await rewrite(`${field} = ${before}`)
    }
    expect(await verdict()).toMatchObject({ verdict: 'verified' })
  })

  it('lets every verdict find an incident that was rewritten and hidden beside a redacted one', async () => {
    const { id, events, incident, stranger, verdict } = await agentWithIncidents()
    await administer(own.database_url, ['redact', `${events.Second}`, '--reason', 'law'])
    expect(await verdict()).toMatchObject({ verdict: 'verified' })
    await own.cron()
    expect(await verdict()).toMatchObject({ verdict: 'verified' })
    expect(await stranger()).toMatchObject({ status: 0, err: '' })
    await tamper(
      'incidents',
      `update incidents set redacted = not redacted, severity = 'info' where agent_id = '${id}'`,
    )
    const found = await verdict()
    expectFailed(
      found,
      'incidents',
      `incident ${incident('First')}: is hidden, but no leaf states that it was redacted`,
    )
    expectFailed(found, 'incidents', `incident ${incident('Second')}: severity is`)
  })

  it('lets every verdict find the rewritten text, reason, or time of a redaction', async () => {
    const { id, events, stranger, verdict } = await agentWithIncidents()
    await administer(own.database_url, ['redact', `${events.Second}`, '--reason', 'law'])
    await own.cron()
    await tamper('incidents', `update incidents set title = 'Fine' where agent_id = '${id}' and redacted`)
    expectFailed(await verdict(), 'incidents', 'title is "Fine", must be "Untitled, severity error"')
    await tamper(
      'incidents',
      `update incidents set title = 'Untitled, severity error' where agent_id = '${id}' and redacted`,
    )
    expect(await verdict()).toMatchObject({ verdict: 'verified' })
    for (const set of [`reason = 'personal'`, `redacted_at = redacted_at - interval '1 hour'`]) {
      await own.sql(`update redactions set ${set} where agent_id = '${id}'`)
      expectFailed(await verdict(), 'incidents', /: redacted: (at|reason) is \S+, must be /)
      expectFinding(await stranger(), /event 98 as listed: redacted: (at|reason) is \S+, must be /)
    }
  })

  it('lets a stranger find an event whose metadata is hidden beside a redacted one', async () => {
    const { id, events, stranger } = await agentWithIncidents()
    await administer(own.database_url, ['redact', `${events.Second}`, '--reason', 'law'])
    await own.cron()
    expect(await stranger()).toMatchObject({ status: 0, err: '' })
    const move = `update redactions set event_id = $1, redacted_at = redacted_at - interval '1 hour' where agent_id = $2`
    await own.sql(move, [events.First, id])
    expectFinding(
      await stranger(),
      'the metadata of event 97 is hidden, but no leaf states that it was redacted',
    )
  })

  it('lets every verdict find rewritten counters', async () => {
    const { id, owner, verdict } = await agentWithIncidents()
    const changes = { tasks_completed: 1_000_000, tasks_failed: -1, incident_count: 1 }
    const rewrite = (sign: '+' | '-') =>
      tamper(
        'agent_stats',
        ...Object.entries(changes).map(
          ([name, count]) =>
            `update agent_stats set ${name} = ${name} ${sign} ${count} where agent_id = '${id}'`,
        ),
      )
    await rewrite('+')
    const [found, full] = [await verdict(), await owner()]
    for (const name of Object.keys(changes)) {
      expectFailed(found, 'counters', new RegExp(`the profile: ${name} is \\d+, the log .* give \\d+`))
      expectFinding(full, new RegExp(`the full verification: ${name} is \\d+`))
    }
    await rewrite('-')
    expect(await verdict()).toMatchObject({ verdict: 'verified' })
  })

  it('lets every verdict find the current score rewritten in its snapshot', async () => {
    const { reg, id, verdict, stranger } = await loggedAgent()
    await tamper(
      'trust_scores',
      `update trust_scores set overall = 99.9 where agent_id = '${id}' and day = (now() at time zone 'utc')::date`,
      `update agent_stats set trust_score_overall = 99.9, kept_score = jsonb_set(kept_score::jsonb, '{overall}', '99.9')::json
       where agent_id = '${id}'`,
    )
    expectFailed(await verdict(), 'score', 'the score: overall is 99.9, must be')
    expectFinding(await run(own.base_url, reg, '--score'), 'the score: overall is 99.9, must be')
    expectFinding(
      await stranger(),
      'the score: overall is 99.9',
      /the score of \S+: overall is 99.9, must be/,
    )
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
