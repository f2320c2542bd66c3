import { expect, it } from 'vitest'
import { atOnce, WRITERS } from '../support/at-once.ts'
import { shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const mail = mailControl(h)
const { remove } = memberControl(h)

/** The agents of an operator on the platform of another one, and the platform's key. */
async function newAgentsOnPlatform(count: number) {
  const [host, operator] = await Promise.all([h.newOperator(), h.newOperator({ tier: 'pro' })])
  const platform = await h.newPlatform(host)
  const regs: string[] = []
  // One after the other, as they would wait for the operator's row: 25 at once can exceed the deadline on a busy machine.
  for (let n = 0; n < count; n++)
    regs.push((await h.newAgent(operator, { platform_slug: platform.slug })).reg)
  const { key } = await h.newPlatformKey(host, platform.slug)
  return { host, operator, platform, key, regs }
}

const incident = (reg: string, severity = 'warning') => ({ reg, event_type: 'incident', severity })

it(`queues one email per agent and hour for ${WRITERS} concurrent incidents`, async () => {
  const { operator, reg, key } = await h.newReporter()
  await atOnce(() => h.report(key, reg, { event_type: 'incident' }))
  expect(await mail.rows(operator)).toHaveLength(1)
  await mail.relayed(operator)
  expect(await mail.received(operator)).toHaveLength(1)
})

it(`sends an email once for ${WRITERS} concurrent calls of the relay`, async () => {
  const { operator } = await mail.newAlerted({ down: 3 })
  await atOnce(() => mail.relayed(operator))
  expect(await mail.rows(operator)).toMatchObject([{ status: 'sent', error: null }])
  expect(await mail.received(operator)).toHaveLength(1)
})

it('queues one email per agent and hour for alerts, and one for its removal', async () => {
  const { host, operator, platform, key, regs } = await newAgentsOnPlatform(2)
  const [first = '', second = ''] = regs
  // Those that come after the removal are rejected.
  const once = (reg: string) =>
    h.api('POST', '/activity/report/batch', { token: key, body: { events: [incident(reg)] } })
  const three = (reg: string) => Promise.all([1, 2, 3].map(() => once(reg)))
  await three(first)
  await Promise.all([three(second), remove(host, platform.slug, first), remove(host, platform.slug, second)])
  const rows = await mail.rows(operator)
  const about = (type: string) => rows.filter((row) => row.type === type).map(({ reg }) => reg)
  expect(about('platform_membership').sort()).toEqual(regs.toSorted())
  expect(about('incident_alert')).toContain(first)
  expect(new Set(about('incident_alert')).size).toBe(about('incident_alert').length)
})

it('queues at most ten emails per day for concurrent incidents of 25 agents of a platform, and as many for critical ones', async () => {
  const { operator, key, regs } = await newAgentsOnPlatform(25)
  const batch = (some: string[], severity?: string) =>
    h.reportBatch(
      key,
      some.map((reg) => incident(reg, severity)),
    )
  const single = (reg: string) => h.api('POST', '/activity/report', { token: key, body: incident(reg) })
  const [first, second] = [regs.slice(0, 12), regs.slice(12)]
  await Promise.all([batch(first), batch(first.toReversed()), ...second.map(single), batch(second)])
  expect(await mail.rows(operator)).toHaveLength(10)

  await Promise.all([
    batch(first, 'critical'),
    batch(second, 'critical'),
    batch(regs.toReversed(), 'critical'),
    batch(regs),
  ])
  const rows = await mail.rows(operator)
  expect(rows.filter(({ critical }) => critical)).toHaveLength(10)
  expect(rows).toHaveLength(20)
})
