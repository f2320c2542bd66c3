import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { SOURCES, type Source } from '../../src/db/enums.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { attestedAgent, establish, platformKey } from '../support/attested.ts'
import { logOf } from '../support/fill.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { freshPerson, kycControl, plus } from '../support/kyc.ts'

const h = shared()
const { api, newAgent, newKey, newOperator, newPlatform, sql } = h
const kyc = kycControl(h)

interface Reported {
  reg: string
  key: string
}

/** An agent on a platform, and the platform's key. */
async function onPlatform(owner: Operator, keeper: Operator) {
  const { slug } = await newPlatform(keeper)
  const [{ reg }, key] = await Promise.all([
    newAgent(owner, { platform_slug: slug }),
    platformKey(h, keeper, slug),
  ])
  return { slug: slug as string, reg: reg as string, key }
}

/** An agent on the platform of another person, both identified by checks, that is established. */
async function onEstablished() {
  const [owner, keeper] = await Promise.all([newOperator(), newOperator()])
  const found = await onPlatform(owner, keeper)
  await kyc.approve(owner, freshPerson())
  await kyc.approve(keeper, freshPerson())
  await establish(h, found.slug)
  return { ...found, owner, keeper }
}

/** The source of a single report; a batch must have the same, as must the list that shows them. */
async function sourceOfReport({ reg, key }: Reported): Promise<Source> {
  const single = await h.report(key, reg)
  const [batched] = await batch(key, [reg, reg])
  expect(batched?.source).toBe(single.source)
  const { body } = await api('GET', `/agents/${reg}/activity`)
  expect(body.data.slice(0, 3).map(({ source }: Body) => source)).toEqual(Array(3).fill(single.source))
  return single.source
}

async function batch(key: string, regs: readonly string[]): Promise<Body[]> {
  const events = regs.map((reg) => ({ reg, event_type: 'task_completed' }))
  const { status, body } = await api('POST', '/activity/report/batch', { token: key, body: { events } })
  expect(status).toBe(201)
  return body.data.map(({ event }: Body) => event)
}

/** Everything stored of what was reported of an agent. */
async function storedOf(reg: string): Promise<Body> {
  const rows = await sql(
    `select d.* from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1 order by d.day, d.source`,
    [reg],
  )
  return { log: await logOf(h, reg), rows }
}

describe('the word of the operator itself', () => {
  it('is a report with a key of its own, also for an agent on an established platform', async () => {
    const { reg, owner } = await onEstablished()
    const { key } = await newKey(owner)
    expect(await sourceOfReport({ reg, key })).toBe('self')
  })

  it('is a report of its own platform, whoever that is', async () => {
    const operator = await newOperator()
    await kyc.approve(operator, freshPerson())
    const found = await onPlatform(operator, operator)
    await establish(h, found.slug)
    expect(await sourceOfReport(found)).toBe('self')
  })

  it('is a report of a platform as long as not both operators are verified, or both as the same person', async () => {
    const [owner, keeper] = await Promise.all([newOperator(), newOperator()])
    const found = await onPlatform(owner, keeper)
    await establish(h, found.slug)
    expect(await sourceOfReport(found)).toBe('self')
    const person = freshPerson()
    await kyc.approve(owner, person)
    expect(await sourceOfReport(found)).toBe('self')
    await kyc.approve(keeper, person)
    expect(await sourceOfReport(found)).toBe('self')
  })

  it('is a report of a verified platform while the agent’s operator is not', async () => {
    const [owner, keeper] = await Promise.all([newOperator(), newOperator()])
    const found = await onPlatform(owner, keeper)
    await kyc.approve(keeper, freshPerson())
    expect(await sourceOfReport(found)).toBe('self')
  })
})

describe('the word of others', () => {
  it('is a peer’s once two persons are verified, that of an established platform independent, until it is distrusted', async () => {
    const [owner, keeper] = await Promise.all([newOperator(), newOperator()])
    const found = await onPlatform(owner, keeper)
    await kyc.approve(owner, freshPerson())
    await kyc.approve(keeper, freshPerson())
    expect(await sourceOfReport(found)).toBe('peer')
    await establish(h, found.slug)
    expect(await sourceOfReport(found)).toBe('independent')
    await administer(h.database_url, ['distrust', found.slug])
    expect(await sourceOfReport(found)).toBe('peer')
    await administer(h.database_url, ['end-distrust', found.slug])
    expect(await sourceOfReport(found)).toBe('independent')
  })

  it('is judged for each agent of a batch, by who stands behind it', async () => {
    const { slug, key, reg, keeper } = await onEstablished()
    const stranger = await newOperator()
    const [second, own] = await Promise.all([
      newAgent(stranger, { platform_slug: slug }),
      newAgent(keeper, { platform_slug: slug }),
    ])
    const regs = [reg, second.reg, own.reg, reg]
    const sources = ['independent', 'self', 'self', 'independent']
    expect((await batch(key, regs)).map(({ source }) => source)).toEqual(sources)
    for (const [n, one] of regs.slice(0, 3).entries()) {
      const { log, rows } = await storedOf(one)
      expect(new Set(log.map(({ source }: Body) => source))).toEqual(new Set([sources[n]]))
      expect(rows).toMatchObject([{ source: sources[n] }])
    }
  })

  it('is shown in the explanation of the score, and in its inputs', async () => {
    const { reg, key, owner, slug } = await onEstablished()
    const own = await newKey(owner)
    await batch(key, Array(6).fill(reg))
    await administer(h.database_url, ['distrust', slug])
    await batch(key, Array(3).fill(reg))
    await batch(own.key, [reg])
    const { evidence } = (await api('GET', `/agents/${reg}/trust-score?explain=true`)).body
    expect(evidence).toEqual({ self: 0.1, peer: 0.3, independent: 0.6 })
    const { rows } = (await api('GET', `/agents/${reg}/trust-score/inputs`)).body
    expect(rows.map(({ source, events }: Body) => [source, events])).toEqual([
      ['self', 1],
      ['peer', 3],
      ['independent', 6],
    ])
    expect(rows.map(({ source }: Body) => source)).toEqual(SOURCES)
  })

  it('counts as reported by the platform, whatever its source', async () => {
    const { agent, key } = await attestedAgent(h, { source: 'peer' })
    expect(await h.report(key, agent.reg)).toMatchObject({ reported_by: 'platform', source: 'peer' })
  })
})

describe('no stored row changes', () => {
  it('when a verification lapses later, which is shown and changes no source either', async () => {
    const found = await onEstablished()
    await sourceOfReport(found)
    const before = await storedOf(found.reg)
    await sql(`update operators set kyc_status = 'expired', kyc_expires_at = $2 where id = any ($1)`, [
      [found.owner.id, found.keeper.id],
      plus(-DAY_MS),
    ])
    expect((await api('GET', `/agents/${found.reg}`)).body.operator_kyc_status).toBe('expired')
    expect(await storedOf(found.reg)).toEqual(before)
    expect(await sourceOfReport(found)).toBe('independent')
  })

  it('when the platform is distrusted later', async () => {
    const found = await onEstablished()
    await sourceOfReport(found)
    const before = await storedOf(found.reg)
    await administer(h.database_url, ['distrust', found.slug])
    expect(await storedOf(found.reg)).toEqual(before)
    await sourceOfReport(found)
    const { log, rows } = await storedOf(found.reg)
    expect(log.slice(0, 3)).toEqual(before.log)
    expect(rows).toEqual([expect.objectContaining({ source: 'peer', events: '3' }), before.rows[0]])
  })

  it('when a verification comes later', async () => {
    const [owner, keeper] = await Promise.all([newOperator(), newOperator()])
    const found = await onPlatform(owner, keeper)
    await sourceOfReport(found)
    const before = await storedOf(found.reg)
    await kyc.approve(owner, freshPerson())
    await kyc.approve(keeper, freshPerson())
    expect(await storedOf(found.reg)).toEqual(before)
    expect(await sourceOfReport(found)).toBe('peer')
    const { log, rows } = await storedOf(found.reg)
    expect(log.slice(0, 3)).toEqual(before.log)
    expect(rows).toEqual([before.rows[0], expect.objectContaining({ source: 'peer' })])
  })

  it('when an administrator releases the identity of an operator later', async () => {
    const found = await onEstablished()
    await sourceOfReport(found)
    const before = await storedOf(found.reg)
    await administer(h.database_url, ['release-identity', found.keeper.email])
    expect(await storedOf(found.reg)).toEqual(before)
  })
})

it('an operator whose identity is released stays who it was until a check names another', async () => {
  const found = await onEstablished()
  await administer(h.database_url, ['release-identity', found.keeper.email])
  expect(await sourceOfReport(found)).toBe('independent')
})
