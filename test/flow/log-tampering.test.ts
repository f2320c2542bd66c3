import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attestationsCheck, eventsCheck, verifyAgent } from '../../packages/verify/index.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { newAgentKey } from '../support/agent-keys.ts'
import { identify, platformKey } from '../support/attested.ts'
import { awayFromMidnight } from '../support/day.ts'
import { ownStack } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'
import { expectFailed, expectFinding, run } from '../support/log/story.ts'
import { fetchFresh, newLoggedAgents, withoutTriggers } from '../support/logged.ts'
import { askRedis } from '../support/redis.ts'

// Changes that the database owner makes with all triggers disabled are detected from outside, even without a witness
// that has seen a head.

const own = await ownStack({ checked: false })
const kyc = kycControl(own)
type Agent = Awaited<ReturnType<typeof newLoggedAgents>>[0]
let [agent, grown, withheld] = [] as unknown as [Agent, Agent, Agent]
let [first, second] = ['', ''] // events with incidents, of which the second is redacted

beforeAll(async () => {
  await awayFromMidnight() // scores of a day are compared
  ;[agent, grown, withheld] = (await newLoggedAgents(own, 3)) as [Agent, Agent, Agent]
  ;[first, second] = [await reportIncident(agent), await reportIncident(agent)]
  await reportIncident(withheld)
  const { token } = await own.newOperator({ email: agent.operator.email })
  const expires_at = new Date(Date.now() + 365 * DAY_MS).toISOString()
  const [{ kid }] = [await newAgentKey(own, { token }, agent.reg, { expires_at })]
  await newAgentKey(own, { token }, agent.reg, { expires_at })
  await own.api('DELETE', `/agents/${agent.reg}/keys/${kid}?reason=compromised`, { token })
  await own.cron()
  await own.admin('redact', second, '--reason', 'law')
  expect(await agent.verdict()).toMatchObject({ verdict: 'verified' })
  await own.cron()
  for (const one of [agent, grown]) expect(await one.stranger()).toMatchObject({ status: 0, err: '' })
})
afterAll(own.stop)

async function reportIncident({ key, reg }: Agent): Promise<string> {
  const metadata = { title: 'Down', description: 'Long' }
  return (await own.report(key, reg, { event_type: 'incident', severity: 'error', metadata })).id
}

/** Runs statements as the owner of the database, without a trigger. */
const secretly = (tables: string[], ...statements: string[]) =>
  withoutTriggers(own, tables, 'set local session_replication_role = replica', ...statements)

/** Changes rows of an agent (`$id`) for the time of a check. */
async function whileChanged({ id }: Agent, tables: string[], sql: string, check: () => Promise<void>) {
  const of = (table: string) => `where ${table === 'agents' ? 'id' : 'agent_id'} = '${id}'`
  const undo = (table: string) =>
    table === 'agents'
      ? `update agents a set name = k.name, class = k.class, registered_at = k.registered_at
           from kept_agents k where a.id = k.id`
      : `delete from ${table} ${of(table)}; insert into ${table} select * from kept_${table}`
  for (const table of tables)
    await own.sql(`create table kept_${table} as select * from ${table} ${of(table)}`)
  await secretly(tables, sql.replaceAll('$id', id))
  try {
    await check()
  } finally {
    await secretly(tables, ...tables.map((table) => `${undo(table)}; drop table kept_${table}`))
  }
}

const LAST_WEEK = utcDay(new Date(Date.now() - 3 * DAY_MS))

describe('an event that the database owner changes', () => {
  const set = (change: string) => (seq: number) =>
    `update activity_events set ${change} where agent_id = '$id' and seq = ${seq}`

  it.each([
    ['its metadata', set(`metadata = jsonb_set(metadata, '{n}', '99')`), 'event $seq does not match the log'],
    ['its source', set(`source = 'independent'`), 'event $seq does not match the log'],
    ['its platform', set(`platform = 'independent'`), 'event $seq does not match the log'],
    [
      'that it was there',
      (seq: number) => `delete from activity_events where agent_id = '$id' and seq = ${seq}`,
      'events that must be public are not shown: seq $seq',
    ],
  ])(
    'is found by a stranger among the newest 50, and by the operator in all: %s',
    async (_, change, found) => {
      const finding = (seq: number) => found.replace('$seq', String(seq))
      await whileChanged(agent, ['activity_events'], change(15), async () => {
        expect(await agent.stranger()).toMatchObject({ status: 0 })
        expectFinding(await agent.owner(), finding(15))
      })
      await whileChanged(agent, ['activity_events'], change(85), async () =>
        expectFinding(await agent.stranger(), finding(85)),
      )
    },
  )

  it('is found if it is inserted in the middle', async () => {
    const inserted = `update activity_events set seq = -seq where agent_id = '$id' and seq >= 40;
      update activity_events set seq = 1 - seq where agent_id = '$id' and seq < 0;
      insert into activity_events select (jsonb_populate_record(e, '{"id":"${randomUUID()}","seq":40}')).*
        from activity_events e where agent_id = '$id' and seq = 39;
      update agent_stats set events = events + 1 where agent_id = '$id'`
    await whileChanged(agent, ['activity_events', 'agent_stats'], inserted, async () => {
      expectFinding(await agent.owner(), 'event 40 does not match the log', 'event 41 does not match the log')
      expectFinding(await agent.stranger(), 'event 50 does not match the log')
    })
  })
})

describe('a change by the database owner', () => {
  it.each<[what: string, tables: string[], sql: string, found: RegExp]>([
    [
      'the score of last week',
      ['trust_scores'],
      `update trust_scores set overall = 99.9 where agent_id = '$id' and day = '${LAST_WEEK}'`,
      new RegExp(`overall of ${LAST_WEEK} is shown as 99.9, the log has \\d+\\.\\d`),
    ],
    [
      'the name of an agent, also in the text of its leaf',
      ['agents', 'tlog_facts'],
      `update agents set name = 'Another' where id = '$id';
       update tlog_facts set texts = replace(texts, '"Scout"', '"Another"') where agent_id = '$id' and kind = 'agent'`,
      /revision 1 of the agent does not match the log \(other_texts\)/,
    ],
    [
      'the reason of a redaction',
      ['redactions'],
      `update redactions set reason = 'personal' where agent_id = '$id'`,
      /event 98 as listed: redacted: reason is \S+, must be /,
    ],
  ])('is found by a stranger: %s', async (_, tables, sql, found) => {
    const seen = readFileSync(agent.state, 'utf8')
    await whileChanged(agent, tables, sql, async () => expectFinding(await agent.stranger(), found))
    expect(readFileSync(agent.state, 'utf8')).toBe(seen)
  })

  const verdictFinds = (check: string, table: string, sql: string, found: RegExp) =>
    whileChanged(agent, [table], sql, async () => expectFailed(await agent.verdict(), check, found))

  it.each([
    ['title', `'Nothing happened'`],
    ['severity', `'info'`],
    ['description', `'A test'`],
    ['source', `'independent'`],
    ['platform', `'acme'`],
  ])('is found by every verdict: the %s of an incident', async (field, value) => {
    const sql = `update incidents set ${field} = ${value} where agent_id = '$id' and not redacted`
    await verdictFinds('incidents', 'incidents', sql, new RegExp(`: ${field} is`))
  })

  it.each([
    ['incidents', `redacted = not redacted, severity = 'info'`, /is hidden, but no leaf states that it was/],
    ['incidents', `title = 'Fine'`, /title is "Fine", must be "Untitled, severity error"/],
    ['redactions', `reason = 'personal'`, /: redacted: reason is \S+, must be /],
    ['redactions', `redacted_at = redacted_at - interval '1 hour'`, /: redacted: at is \S+, must be /],
  ])('is found by every verdict: what is hidden: %s, %s', async (table, set, found) => {
    await verdictFinds('incidents', table, `update ${table} set ${set} where agent_id = '$id'`, found)
  })

  it.each(['tasks_completed', 'tasks_failed', 'incident_count'])(
    'is found by every verdict: the counter %s',
    async (name) => {
      const sql = `update agent_stats set ${name} = ${name} + 1 where agent_id = '$id'`
      const found = new RegExp(`the profile: ${name} is \\d+, the log .* give \\d+`)
      await verdictFinds('counters', 'agent_stats', sql, found)
    },
  )

  const [REVOKED, VALID] = [' and revoked_at is not null', ' and revoked_at is null']
  it.each([
    ['x', `set x = translate(x, 'ABCDE', 'BCDEA')`, '', /: is not the thumbprint of x/],
    ['its thumbprint', `set kid = 'A' || substr(kid, 2)`, '', /: is not the thumbprint of x/],
    ['when it was added', `set added_at = added_at - interval '1 day'`, '', /: added: at is/],
    ['when it expires', 'set expires_at = null', '', /: added: until is null/],
    ['when it was revoked', `set revoked_at = revoked_at + interval '1 day'`, REVOKED, /: revoked: at is/],
    ['why it was revoked', `set reason = 'unused'`, REVOKED, /: revoked: reason is "unused"/],
    ['that it was', 'set revoked_at = null, reason = null', REVOKED, /: revoked: reason is null/],
    [
      'that it was not',
      `set revoked_at = now() - interval '1 day', reason = 'unused'`,
      VALID,
      /is not in the log as revoked/,
    ],
    ['that it was there', null, '', /is not listed/],
  ])('is found by every verdict: of a key, %s', async (_, set, where, found) => {
    const sql = `${set ? `update agent_keys ${set}` : 'delete from agent_keys'} where agent_id = '$id'${where}`
    await verdictFinds('keys', 'agent_keys', sql, found)
  })

  it('is found by every verdict: the current score', async () => {
    const sql = `update trust_scores set overall = 99.9 where agent_id = '$id' and day = (now() at time zone 'utc')::date;
      update agent_stats set trust_score_overall = 99.9,
        kept_score = jsonb_set(kept_score::jsonb, '{overall}', '99.9')::json where agent_id = '$id'`
    await whileChanged(agent, ['trust_scores', 'agent_stats'], sql, async () => {
      expectFailed(await agent.verdict(), 'score', /the score: overall is 99.9, must be/)
      expectFinding(await run(own.base_url, agent.reg, '--score'), 'the score: overall is 99.9, must be')
      expectFinding(await agent.stranger(), /the score of \S+: overall is 99.9, must be/)
    })
  })

  it('is found by a stranger: which event has hidden metadata', async () => {
    const move = `update redactions set event_id = '${first}',
      redacted_at = redacted_at - interval '1 hour' where agent_id = '$id'`
    await whileChanged(agent, ['redactions'], move, async () =>
      expectFinding(
        await agent.stranger(),
        'the metadata of event 97 is hidden, but no leaf states that it was redacted',
      ),
    )
  })

  it('is found by a stranger after it was logged: a backdated event, and another score of last week', async () => {
    await secretly(
      ['activity_events', 'agent_stats'],
      `insert into activity_events select (jsonb_populate_record(e, '{"id":"${randomUUID()}","seq":97}')).*
       from activity_events e where agent_id = '${grown.id}' and seq = 60`,
      `update agent_stats set events = events + 1, unlogged_since = now() where agent_id = '${grown.id}'`,
    )
    const rewrite = 'update trust_scores set overall = 99.9 where agent_id = $1 and day = $2'
    await own.sql(rewrite, [grown.id, LAST_WEEK])
    await own.cron()
    expectFinding(
      await grown.stranger(),
      /event 97 is dated \S+, but was not in the log on \S+: backdated, or logged late/,
      'event 97 has an earlier time than the previous event',
      `note: day ${LAST_WEEK} was corrected: revision 2 counts`,
      new RegExp(`day ${LAST_WEEK}: overall is "99.9", must be "\\d+\\.\\d"`),
    )
  })

  it('is found by every verdict of an agent whose texts are withheld: its facts and incidents', async () => {
    await own.admin('withhold-text', withheld.reg)
    await own.cron()
    expect(await withheld.verdict()).toMatchObject({ verdict: 'verified' })
    for (const [check, table, set, found] of [
      ['incidents', 'incidents', `severity = 'info' where agent_id`, /: severity is/],
      ['profile', 'agents', `registered_at = '2020-01-01' where id`, /the profile: registered_at is/],
      ['profile', 'agents', `class = 'D' where id`, /the profile: class is/],
    ] as const)
      await whileChanged(withheld, [table], `update ${table} set ${set} = '$id'`, async () =>
        expectFailed(await withheld.verdict(), check, found),
      )
  })

  it('is found by a stranger: rows of a finished day, with triggers', async () => {
    const { id, stranger } = withheld
    const set = 'completed = completed + 1, failed = failed - 1'
    await own.sql(`update agent_evidence set ${set} where agent_id = $1 and day = $2`, [id, LAST_WEEK])
    const found = `the rows shown for \\S+ are not those of the log: ${LAST_WEEK} self: completed`
    expectFinding(await stranger(), new RegExp(found))
  })
})

describe('the source of a report', () => {
  /** An agent that a platform has reported on, after moves of both operators and the platform. */
  async function reported({
    verified = ['operator', 'keeper'],
    established = true,
    judged = [],
    lie = '',
  }: {
    verified?: string[]
    established?: boolean
    judged?: string[]
    lie?: string
  }) {
    const [operator, keeper] = [
      await own.newOperator({ tier: 'pro' }),
      await own.newOperator({ tier: 'pro' }),
    ]
    for (const [name, one] of Object.entries({ operator, keeper }))
      await (verified.includes(name) ? kyc.approve(one, freshPerson()) : identify(own, one))
    const { slug } = await own.newPlatform(keeper)
    if (established) await own.sql('update platforms set established_at = now() where slug = $1', [slug])
    const { reg } = await own.newAgent(operator, { platform_slug: slug })
    const key = await platformKey(own, keeper, slug)
    for (const command of judged) await own.admin(command, slug)
    await own.sql(
      `update tlog_outbox set facts = regexp_replace(facts, '"at":"[^"]*"', '"at":"2026-01-01T00:00:00.000Z"')
       where kind = 'platform' and subject = $1 and facts like '%trusted%'`,
      [slug],
    )
    if (lie === 'trusted')
      await secretly(['platforms'], `update platforms set distrusted_at = null where slug = '${slug}'`)
    if (lie === 'established')
      await secretly(['platforms'], `update platforms set established_at = now() where slug = '${slug}'`)
    return { reg, slug, source: (await own.report(key, reg)).source }
  }

  it('is verified by the leaves of both operators and the platform, which find what they do not give', async () => {
    const lies = (reason: string) => ['independent', 'failed', `event 1 is independent, but ${reason}`]
    const honest = ['verified', '1 of 1 event attested by platforms of others']
    const rows: [Parameters<typeof reported>[0], string[]][] = [
      [{}, ['independent', ...honest]],
      [{ established: false }, ['peer', ...honest]],
      [{ verified: ['keeper'] }, lies('the operator of the agent was not verified')],
      [{ verified: ['operator'] }, lies('the operator of platform SLUG was not verified')],
      [{ established: false, lie: 'established' }, lies('the platform was not established')],
      [{ judged: ['distrust'], lie: 'trusted' }, lies('the platform was distrusted')],
      [{ judged: ['distrust', 'end-distrust'] }, ['independent', ...honest]],
    ]
    const agents: Awaited<ReturnType<typeof reported>>[] = []
    for (const [moves] of rows) agents.push(await reported(moves))
    await own.cron()
    await own.cron()
    const found = agents.map(async ({ reg, slug, source }) => {
      const also = [eventsCheck, attestationsCheck]
      const { verdict, checks } = await verifyAgent(own.base_url, reg, { fetch: fetchFresh, also })
      return [source, verdict, checks.at(-1)?.detail.replaceAll(slug, 'SLUG')]
    })
    expect(await Promise.all(found)).toEqual(rows.map(([, expected]) => expected))
  })
})

it('a log that the database owner has rewritten is found by a head that was seen before, also with the same key', async () => {
  const seen = readFileSync(agent.state, 'utf8')
  await fetch(`${own.witness_url}/logs`, { method: 'PUT', body: '[]' }) // a witness would notice it first
  await askRedis(own, 'DEL', 'tlog:head:localhost/log')
  const kept = ['tiles', 'bundles', 'batches', 'ranges', 'facts', 'heads'].map((name) => `tlog_${name}`)
  await withoutTriggers(
    own,
    [...kept, 'tlog_state', 'activity_events', 'agents'],
    ...kept.map((table) => `truncate ${table}`),
    'update tlog_state set size = 0',
    `update activity_events set metadata = '{}' where agent_id = '${agent.id}' and seq = 90`,
    'update agent_stats set logged_events = 0, unlogged_since = last_active_at',
    'delete from tlog_outbox',
    'update agents set revision = 1',
    `insert into tlog_outbox (kind, subject, rev, agent_id, facts, texts)
       select 'agent', id::text, 1, id, agent_facts(agents), agent_texts(agents) from agents`,
    'insert into tlog_days select distinct day, agent_id from agent_evidence on conflict do nothing',
  )
  await agent.report(new Date(), 90)
  await own.cron()
  await own.cron()
  expectFinding(
    await agent.stranger(),
    /the log was rewritten: its first \d+ leaves are not those that were signed on/,
  )
  expect(readFileSync(agent.state, 'utf8')).toBe(seen)
})
