import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { attestationsCheck, eventsCheck, verifyAgent } from '../../packages/verify/index.ts'
import { administer } from '../../scripts/admin.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { identify, platformKey } from '../support/attested.ts'
import { ownStack } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { fetchFresh, untilVerified, withoutTriggers } from '../support/logged.ts'

const own = await ownStack({ checked: false })
afterAll(own.stop)
const { newOperator, newPlatform, sql } = own
const kyc = kycControl(own)

/** Changes rows as the owner of the database, without a trigger. */
const secretly = (tables: string[], ...statements: string[]) =>
  withoutTriggers(own, tables, 'set local session_replication_role = replica', ...statements)

describe('the source of a report', () => {
  /** An agent that a platform reports on, after moves of both operators and the platform. */
  async function reported({
    verified = ['operator', 'keeper'],
    established = true,
    lie = '',
  }: {
    verified?: string[]
    established?: boolean
    lie?: string
  }) {
    const [operator, keeper] = await Promise.all([newOperator({ tier: 'pro' }), newOperator({ tier: 'pro' })])
    for (const [name, one] of Object.entries({ operator, keeper }))
      await (verified.includes(name) ? kyc.approve(one, freshPerson()) : identify(own, one))
    const { slug } = await newPlatform(keeper)
    if (established) await sql('update platforms set established_at = now() where slug = $1', [slug])
    const { reg } = await own.newAgent(operator, { platform_slug: slug })
    const key = await platformKey(own, keeper, slug)
    if (lie === 'distrusted') {
      await administer(own.database_url, ['distrust', slug])
      await sql(
        `update tlog_outbox set facts = regexp_replace(facts, '"at":"[^"]*"', '"at":"2026-01-01T00:00:00.000Z"')
         where kind = 'platform' and subject = $1 and facts like '%distrusted%'`,
        [slug],
      )
      await secretly(['platforms'], `update platforms set distrusted_at = null where slug = '${slug}'`)
    }
    if (lie === 'established')
      await secretly(['platforms'], `update platforms set established_at = now() where slug = '${slug}'`)
    const event = await own.report(key, reg)
    await untilVerified(own, reg)
    const also = [eventsCheck, attestationsCheck]
    const { verdict, checks } = await verifyAgent(own.base_url, reg, { fetch: fetchFresh, also })
    const { ok, detail } = checks.at(-1) ?? {}
    return { source: event.source, verdict, ok, detail: detail?.replaceAll(slug, 'SLUG') }
  }

  it('is verified by the leaves of both operators and the platform', async () => {
    const detail = '1 of 1 event attested by platforms of others'
    const honest = { verdict: 'verified', ok: true, detail }
    expect(await reported({})).toEqual({ source: 'independent', ...honest })
    expect(await reported({ established: false })).toEqual({ source: 'peer', ...honest })
  })

  it.each([
    ['an operator', { verified: ['keeper'] }, 'the operator of the agent was not verified'],
    ['a platform', { verified: ['operator'] }, 'the operator of platform SLUG was not verified'],
    ['no platform', { established: false, lie: 'established' }, 'the platform was not established'],
    ['a distrusted platform', { lie: 'distrusted' }, 'the platform was distrusted'],
  ])('that the log does not give to %s is found', async (_, moves, reason) => {
    const detail = `event 1 is independent, but ${reason}`
    expect(await reported(moves)).toEqual({ source: 'independent', verdict: 'failed', ok: false, detail })
  })
})

describe('a report that was answered', () => {
  it('and was dropped is found by its receipt', async () => {
    const { operator, reg, key, agent } = await own.newReporter()
    const tables = await sql(
      `select table_name as name from information_schema.columns join information_schema.tables using (table_name)
       where column_name = 'agent_id' and table_type = 'BASE TABLE'`,
    )
    const names = tables.map(({ name }) => String(name))
    const ofAgent = `where agent_id = '${agent.id}'`
    await sql(names.map((name) => `create table kept_${name} as select * from ${name} ${ofAgent}`).join('; '))
    const { body } = await own.api('POST', '/activity/report', {
      token: key,
      body: { reg, event_type: 'task_failed' },
      headers: { Prefer: 'return=receipt' },
      now: new Date(Date.now() - 2 * DAY_MS),
    })
    await secretly(
      names,
      ...names.map(
        (name) => `delete from ${name} ${ofAgent}; insert into ${name} select * from kept_${name}`,
      ),
    )
    const [receipts, keys] = [join(own.dir, 'receipts'), join(own.dir, 'keys.json')]
    writeFileSync(receipts, body.receipt)
    writeFileSync(keys, await (await fetch(`${own.base_url}/.well-known/jwks.json`)).text())
    const judged = () => run(own.base_url, '--receipt', receipts, '--keys', keys)
    expectFinding(await judged(), `promise broken: ${reg}, event 1: 1 leaf missing`)
    await own.report(key, reg)
    await untilVerified(own, reg)
    const { key: readKey } = await own.newKey(operator, ['read'])
    const found = await run(own.base_url, '--receipt', receipts, '--keys', keys, '--key', readKey)
    expectFinding(found, /promise broken: \S+, event 1: the log has event \S+ in its place/)
  })

  it('and was changed before it was logged is found by its receipt', async () => {
    const { operator, reg, key, agent } = await own.newReporter()
    const { body } = await own.api('POST', '/activity/report', {
      token: key,
      body: { reg, event_type: 'task_failed', metadata: { code: 'E42' } },
      headers: { Prefer: 'return=receipt' },
    })
    await secretly(
      ['activity_events'],
      `update activity_events set metadata = '{"code":"E43"}' where agent_id = '${agent.id}'`,
    )
    await untilVerified(own, reg)
    const receipts = join(own.dir, 'changed')
    writeFileSync(receipts, body.receipt)
    const { key: readKey } = await own.newKey(operator, ['read'])
    const found = await run(own.base_url, '--receipt', receipts, '--key', readKey)
    expectFinding(found, `promise broken: ${reg}, event 1: the log has other content in their place`)
  })
})

describe('what is logged', () => {
  it('twice under one number, or changed later, is found', async () => {
    const { reg, key, agent } = await own.newReporter()
    const metadata = { title: 'Sent twice', description: 'An invoice' }
    await own.report(key, reg, { event_type: 'incident', severity: 'error', metadata })
    await own.report(key, reg)
    await untilVerified(own, reg)
    const state = join(own.dir, 'monitor.json')
    const watch = () => run('monitor', own.base_url, '--state', state)
    expect(await watch()).toMatchObject({ status: 0, out: '' })

    await secretly(['incidents'], `update incidents set severity = 'warning' where agent_id = '${agent.id}'`)
    expectFinding(await run(own.base_url, reg), /^incidents +FAILED +incident \S+ /m)

    await secretly(
      ['agent_stats'],
      `update agent_stats set logged_events = 1, unlogged_since = now() where agent_id = '${agent.id}'`,
    )
    await own.cron()
    const { status, out } = await watch()
    expect({ status, out }).toEqual({
      status: 1,
      out: expect.stringContaining(`${reg}: event 2 twice, or out of order`),
    })
    expectFinding(await run(own.base_url, '--all'), 'events: seq 2 twice')
  })
})
