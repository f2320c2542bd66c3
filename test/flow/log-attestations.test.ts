import { afterAll, describe, expect, it } from 'vitest'
import { attestationsCheck, eventsCheck, verifyAgent } from '../../packages/verify/index.ts'
import { administer } from '../../scripts/admin.ts'
import { identify, platformKey } from '../support/attested.ts'
import { ownStack } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'
import { fetchFresh, untilVerified } from '../support/logged.ts'

const own = await ownStack({ checked: false })
afterAll(own.stop)
const { newOperator, newPlatform, sql } = own
const kyc = kycControl(own)

describe('the source of a report', () => {
  /** Changes what the log would have to state, as the owner of the database, without a trigger. */
  const secretly = (statement: string) =>
    sql(`begin; set local session_replication_role = replica; ${statement}; commit`)

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
      await secretly(`update platforms set distrusted_at = null where slug = '${slug}'`)
    }
    if (lie === 'established')
      await secretly(`update platforms set established_at = now() where slug = '${slug}'`)
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
