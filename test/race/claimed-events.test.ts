import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { NOON, plus } from '../support/day.ts'
import { deliveriesOf } from '../support/deliveries.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { memberControl, NOBODY_LISTENS } from '../support/members.ts'

const h = shared()
const { api, newAgent, newOperator, newPlatform } = h
const { confirm, patch } = memberControl(h)
const LATER = plus(MINUTE_MS, NOON)

/** A platform, and the agents of another operator that claim to be on it. */
async function newClaims(count: number) {
  const [host, owner] = await Promise.all([newOperator(), newOperator({ tier: 'pro' })])
  const platform = await newPlatform(host, { webhook_url: NOBODY_LISTENS })
  const agents = await Promise.all(
    Array.from({ length: count }, () => newAgent(owner, { platform_slug: platform.slug }, NOON)),
  )
  const key = await tirelessKey(h, owner)
  /** The webhook events of some types to the platform, oldest first. */
  const events = async (types: RegExp): Promise<Body[]> =>
    (await deliveriesOf(h, platform)).filter(({ type }) => types.test(type))
  return { host, owner, platform, key, events, regs: agents.map(({ reg }) => reg as string) }
}

/** The time in a UUIDv7. */
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

const incident = (reg: string, severity = 'error') => ({ reg, event_type: 'incident', severity })

it('sends a platform five incident events per minute about the claimed agents of an operator, and then says so', async () => {
  const { host, owner, platform, key, events, regs } = await newClaims(3)
  const flood = regs.flatMap((reg) => [
    ...Array.from({ length: 4 }, () => [incident(reg), incident(reg, 'critical')]),
    ...Array.from({ length: 4 }, () => regs.map((one) => incident(one))),
  ])
  await Promise.all(flood.map((some) => h.reportBatch(key, some, NOON)))
  const sent = await events(/^incident/)
  expect(sent).toHaveLength(5)
  expect(sent.filter(({ data }) => data.truncated)).toEqual([])

  const [first = '', second = ''] = regs
  const { incident_id } = sent[0]?.data ?? {}
  const resolve = (id: string, now: Date) =>
    api('POST', `/incidents/${id}/resolve`, { token: owner.token, body: { resolution: 'Done' }, now })
  expect((await resolve(incident_id, NOON)).status).toBe(200)
  expect(await events(/^incident/)).toHaveLength(5)
  await patch(owner, first, { description: 'new' }, NOON)
  await patch(owner, second, { status: 'deactivated' }, NOON)
  expect(await events(/^agent.(updated|deactivated)/)).toHaveLength(2)

  const truncated = async () =>
    (await events(/^incident/)).filter(({ data }) => data.truncated).map(({ event_id }) => event_id)
  await h.reportBatch(key, [incident(first), incident(first)], LATER)
  const [next, ...others] = await truncated()
  expect([typeof next, others]).toEqual(['string', []])
  await h.reportBatch(key, [incident(first)], LATER)
  expect(await truncated()).toEqual([next])
  expect(await events(/^incident/)).toHaveLength(8)

  expect((await confirm(host, platform.slug, first)).status).toBe(200)
  await h.reportBatch(key, Array(10).fill(incident(first)), LATER)
  expect(await events(/^incident/)).toHaveLength(18)
})

it('does not say that incident events are missing if there were just five', async () => {
  const { key, events, regs } = await newClaims(1)
  const [reg = ''] = regs
  await h.reportBatch(key, Array(5).fill(incident(reg)), NOON)
  await h.reportBatch(key, [incident(reg)], LATER)
  expect((await events(/^incident/)).map(({ data }) => data.truncated)).toEqual(Array(6).fill(undefined))
})

it('sends a platform five trust events per minute about the claimed agents of an operator', async () => {
  const { key, events, regs } = await newClaims(8)
  const work = regs.flatMap((reg) => Array(20).fill({ reg, event_type: 'task_completed' }))
  await h.reportBatch(key, work, NOON)
  await h.cron(LATER)
  // Some of the agents may be scored in another minute, by a run of the jobs for another test.
  const perMinute = Map.groupBy(await events(/^trust/), ({ id }) => Math.floor(timeOf(id) / MINUTE_MS))
  const counts = [...perMinute.values()].map(({ length }) => length)
  expect(Math.max(...counts)).toBe(5)
})
