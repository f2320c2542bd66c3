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
async function onPlatform(owner: Operator, host: Operator) {
  const { slug } = await newPlatform(host)
  const [{ reg }, key] = await Promise.all([
    newAgent(owner, { platform_slug: slug }),
    platformKey(h, host, slug),
  ])
  return { slug: slug as string, reg: reg as string, key }
}

/** An agent on the established platform of another person; both operators are verified. */
async function onEstablished() {
  const [owner, host] = await Promise.all([newOperator(), newOperator()])
  const member = await onPlatform(owner, host)
  await kyc.approve(owner, freshPerson())
  await kyc.approve(host, freshPerson())
  await establish(h, member.slug)
  return { ...member, owner, host }
}

/** The source of a single report; expects the same source of a batch and in the activity list. */
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

/** The stored events and evidence rows of an agent. */
async function storedOf(reg: string): Promise<Body> {
  const rows = await sql(
    `select d.* from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1 order by d.day, d.source`,
    [reg],
  )
  return { log: await logOf(h, reg), rows }
}

describe('the source self', () => {
  it('applies to a report with a key of the operator, also on an established platform', async () => {
    const { reg, owner } = await onEstablished()
    const { key } = await newKey(owner)
    expect(await sourceOfReport({ reg, key })).toBe('self')
  })

  it('applies to a report of a platform that belongs to the same operator', async () => {
    const operator = await newOperator()
    const member = await onPlatform(operator, operator)
    expect(await sourceOfReport(member)).toBe('self')
    await kyc.approve(operator, freshPerson())
    await establish(h, member.slug)
    expect(await sourceOfReport(member)).toBe('self')
  })

  it('applies to a report of a platform unless both operators are verified as different persons', async () => {
    const [owner, host] = await Promise.all([newOperator(), newOperator()])
    const member = await onPlatform(owner, host)
    await establish(h, member.slug)
    expect(await sourceOfReport(member)).toBe('self')
    const person = freshPerson()
    await kyc.approve(owner, person)
    expect(await sourceOfReport(member)).toBe('self')
    await kyc.approve(host, person)
    expect(await sourceOfReport(member)).toBe('self')
  })
})

describe('the source unproven', () => {
  it('applies to a verified platform while the identity of the agent’s operator is not known', async () => {
    const [owner, host] = await Promise.all([newOperator(), newOperator()])
    const member = await onPlatform(owner, host)
    await kyc.approve(host, freshPerson())
    expect(await sourceOfReport(member)).toBe('unproven')
    await establish(h, member.slug)
    expect(await sourceOfReport(member)).toBe('unproven')
    await kyc.approve(owner, freshPerson())
    expect(await sourceOfReport(member)).toBe('independent')
  })
})

describe('the sources peer and independent', () => {
  it('are not independent while another platform of the same person is distrusted', async () => {
    const member = await onEstablished()
    const other = await h.newPlatform(member.host)
    await administer(h.database_url, ['distrust', other.slug])
    expect(await sourceOfReport(member)).toBe('peer')
    await administer(h.database_url, ['end-distrust', other.slug])
    expect(await sourceOfReport(member)).toBe('independent')
  })

  it('are determined for each agent of a batch by its operator', async () => {
    const { slug, key, reg, host } = await onEstablished()
    // Agents are processed in the order of their registration: the host's own one follows that of another person.
    const own = await newAgent(host, { platform_slug: slug })
    const stranger = await newAgent(await newOperator(), { platform_slug: slug })
    const regs = [reg, own.reg, stranger.reg, reg]
    const sources = ['independent', 'self', 'unproven', 'independent']
    expect((await batch(key, regs)).map(({ source }) => source)).toEqual(sources)
    for (const [n, one] of regs.slice(0, 3).entries()) {
      const { log, rows } = await storedOf(one)
      expect(new Set(log.map(({ source }: Body) => source))).toEqual(new Set([sources[n]]))
      expect(rows).toMatchObject([{ source: sources[n] }])
    }
  })

  it('are shown in the explanation and inputs of a score', async () => {
    const { reg, key, owner, slug } = await onEstablished()
    const own = await newKey(owner)
    await batch(key, Array(6).fill(reg))
    await administer(h.database_url, ['distrust', slug])
    await batch(key, Array(3).fill(reg))
    await batch(own.key, [reg])
    await sql(`update operators set kyc_identity = null where id = $1`, [owner.id])
    await batch(key, [reg])
    const { evidence } = (await api('GET', `/agents/${reg}/trust-score?explain=true`)).body
    expect(evidence).toEqual({ self: 0.0909, unproven: 0.0909, peer: 0.2727, independent: 0.5455 })
    const { rows } = (await api('GET', `/agents/${reg}/trust-score/inputs`)).body
    expect(rows.map(({ source, events }: Body) => [source, events])).toEqual([
      ['self', 1],
      ['unproven', 1],
      ['peer', 3],
      ['independent', 6],
    ])
    expect(rows.map(({ source }: Body) => source)).toEqual(SOURCES)
  })

  it('are shown with the platform, for the event and the incident that it opens', async () => {
    const { agent, key } = await attestedAgent(h, { source: 'peer' })
    const reported = { reported_by: 'platform', source: 'peer', platform: agent.platform_slug }
    expect(await h.report(key, agent.reg, { event_type: 'incident', severity: 'error' })).toMatchObject(
      reported,
    )
    for (const list of ['activity', 'incidents']) {
      expect((await api('GET', `/agents/${agent.reg}/${list}`)).body.data).toMatchObject([reported])
    }
    for (const path of ['', '/log']) {
      const page = await fetch(`${h.base_url}/agents/${agent.reg}${path}`)
      const by = `<a href="/platforms/${agent.platform_slug}">${agent.platform_slug}</a> <small class="quiet">peer</small>`
      expect(await page.text()).toContain(by)
    }
  })
})

describe('a stored source does not change', () => {
  it('when a verification expires or is released, nor does the source of later reports', async () => {
    const member = await onEstablished()
    await sourceOfReport(member)
    const before = await storedOf(member.reg)
    await sql(`update operators set kyc_status = 'expired', kyc_expires_at = $2 where id = any ($1)`, [
      [member.owner.id, member.host.id],
      plus(-DAY_MS),
    ])
    expect((await api('GET', `/agents/${member.reg}`)).body.operator_kyc_status).toBe('expired')
    await administer(h.database_url, ['release-identity', member.host.email])
    expect(await storedOf(member.reg)).toEqual(before)
    expect(await sourceOfReport(member)).toBe('independent')
  })

  it('when the operators are verified, or the platform is established or distrusted', async () => {
    const [owner, host] = await Promise.all([newOperator(), newOperator()])
    const member = await onPlatform(owner, host)
    const log: Body[] = []
    const changes: [Source, () => Promise<unknown>][] = [
      ['self', async () => undefined],
      ['peer', () => Promise.all([owner, host].map((one) => kyc.approve(one, freshPerson())))],
      ['independent', () => establish(h, member.slug)],
      ['peer', () => administer(h.database_url, ['distrust', member.slug])],
    ]
    for (const [source, change] of changes) {
      const before = await storedOf(member.reg)
      await change()
      expect(await storedOf(member.reg)).toEqual(before)
      expect(await sourceOfReport(member)).toBe(source)
      const after = await storedOf(member.reg)
      expect(after.log.slice(0, log.length)).toEqual(log)
      log.splice(0, log.length, ...after.log)
    }
    const { rows } = await storedOf(member.reg)
    const counts = Object.fromEntries(rows.map(({ source, events }: Body) => [source, events]))
    expect(counts).toEqual({ self: '3', peer: '6', independent: '3' })
  })
})
