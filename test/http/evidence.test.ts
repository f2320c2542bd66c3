import { describe, expect, it } from 'vitest'
import type { Source } from '../../src/db/enums.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { attestedAgent, establish, identify, platformKey } from '../support/attested.ts'
import { plus } from '../support/day.ts'
import { logOf } from '../support/fill.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'

const h = shared()
const { api, newAgent, newKey, newOperator, newPlatform, sql } = h

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
  return { slug: slug as string, reg: reg as string, key, owner, host }
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

const batch = (key: string, regs: readonly string[]) =>
  h.reportBatch(
    key,
    regs.map((reg) => ({ reg, event_type: 'task_completed' })),
  )

/** The stored events and evidence rows of an agent. */
async function storedOf(reg: string): Promise<Body> {
  const rows = await sql(
    `select d.* from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1 order by d.day, d.source`,
    [reg],
  )
  return { log: await logOf(h, reg), rows }
}

describe('the source of a report', () => {
  it('follows the operators and the platform, while what is stored does not change', async () => {
    const member = await onPlatform(await newOperator(), await newOperator())
    const { owner, host, slug } = member
    const other = await newPlatform(host)
    const setIdentity = ({ id }: Operator, identity: string | null) =>
      sql('update operators set kyc_identity = $2 where id = $1', [id, identity])
    const expire = () =>
      sql(`update operators set kyc_status = 'expired', kyc_expires_at = $2 where id = any ($1)`, [
        [owner.id, host.id],
        plus(-DAY_MS),
      ])
    const changes: [Source, () => Promise<unknown>][] = [
      ['self', async () => undefined],
      ['unproven', () => identify(h, host)],
      ['self', () => setIdentity(owner, host.id)], // the same person
      ['peer', () => identify(h, owner)],
      ['independent', () => establish(h, slug)],
      ['self', () => setIdentity(host, null)],
      ['independent', () => identify(h, host)],
      ['peer', () => h.admin('distrust', slug)],
      ['independent', () => h.admin('end-distrust', slug)],
      ['peer', () => h.admin('distrust', other.slug)],
      ['independent', () => h.admin('end-distrust', other.slug)],
      ['independent', expire],
      ['independent', () => h.admin('release-identity', host.email)],
    ]
    for (const [source, change] of changes) {
      const before = await storedOf(member.reg)
      await change()
      expect(await storedOf(member.reg)).toEqual(before)
      expect([change.toString(), await sourceOfReport(member)]).toEqual([change.toString(), source])
      const { log } = await storedOf(member.reg)
      expect(log.slice(0, before.log.length)).toEqual(before.log)
    }
    const { rows } = await storedOf(member.reg)
    const counts = Object.fromEntries(rows.map(({ source, events }: Body) => [source, Number(events)]))
    expect(counts).toEqual({ self: 9, unproven: 3, peer: 9, independent: 18 })
  })

  it('is self for a key of the operator on an established platform, and for its own platform', async () => {
    const { agent, operator: owner } = await attestedAgent(h)
    expect(await sourceOfReport({ reg: agent.reg, key: (await newKey(owner)).key })).toBe('self')
    const own = await onPlatform(owner, owner)
    await establish(h, own.slug)
    expect(await sourceOfReport(own)).toBe('self')
  })

  it('is determined for each agent of a batch by its operator', async () => {
    const { platform, key, agent, keeper } = await attestedAgent(h)
    // Agents are processed in the order of their registration: the keeper's own one follows that of another person.
    const own = await newAgent(keeper, { platform_slug: platform.slug })
    const stranger = await newAgent(await newOperator(), { platform_slug: platform.slug })
    const regs = [agent.reg, own.reg, stranger.reg, agent.reg]
    const sources = ['independent', 'self', 'unproven', 'independent']
    expect((await batch(key, regs)).map(({ source }) => source)).toEqual(sources)
    for (const [n, one] of regs.slice(0, 3).entries()) {
      const { log, rows } = await storedOf(one)
      expect(new Set(log.map(({ source }: Body) => source))).toEqual(new Set([sources[n]]))
      expect(rows).toMatchObject([{ source: sources[n] }])
    }
  })

  it('is shown with the platform, for the event and the incident that it opens', async () => {
    const { agent, key } = await attestedAgent(h, { source: 'peer' })
    const reported = { reported_by: 'platform', source: 'peer', platform: agent.platform_slug }
    const event = await h.report(key, agent.reg, { event_type: 'incident', severity: 'error' })
    expect(event).toMatchObject(reported)
    for (const list of ['activity', 'incidents']) {
      expect((await api('GET', `/agents/${agent.reg}/${list}`)).body.data).toMatchObject([reported])
    }
    for (const path of ['', '/log']) {
      const page = await fetch(`${h.base_url}/agents/${agent.reg}${path}`)
      expect(await page.text()).toMatch(RegExp(`href="/platforms/${agent.platform_slug}">.{0,99}\\bpeer\\b`))
    }
  })
})
