import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const mail = mailControl(h)
const { platformKey, remove } = memberControl(h)

const WRITERS = 20

/** The agents of an operator on the platform of another one, and the platform's key. */
async function newAgentsOnPlatform(count: number) {
  const [host, operator] = await Promise.all([h.newOperator(), h.newOperator({ tier: 'pro' })])
  const platform = await h.newPlatform(host)
  const agents = await Promise.all(
    Array.from({ length: count }, () => h.newAgent(operator, { platform_slug: platform.slug })),
  )
  const key = await platformKey(host, platform.slug)
  return { host, operator, platform, key, regs: agents.map(({ reg }) => reg as string) }
}

const incident = (reg: string, severity = 'warning') => ({ reg, event_type: 'incident', severity })
const report = (key: string, events: object[]) =>
  h.api('POST', '/activity/report/batch', { token: key, body: { events } })

it(`queues one email per agent and hour for ${WRITERS} concurrent incidents`, async () => {
  const { operator, reg, key } = await h.newReporter()
  await Promise.all(Array.from({ length: WRITERS }, () => h.report(key, reg, { event_type: 'incident' })))
  expect(await mail.rows(operator)).toHaveLength(1)
  await mail.settled(operator)
  expect(await mail.received(operator)).toHaveLength(1)
})

it('queues one email per agent and hour for notifications of different types, and lists all of them', async () => {
  const { host, operator, platform, key, regs } = await newAgentsOnPlatform(2)
  const [first = '', second = ''] = regs
  await Promise.all([report(key, [incident(first)]), remove(host, platform.slug, first)])
  await Promise.all([report(key, [incident(second)]), remove(host, platform.slug, second)])
  expect((await mail.rows(operator)).map(({ reg }) => reg).sort()).toEqual(regs.toSorted())
  const { body } = await h.api('GET', '/operators/me/notifications', { token: operator.token })
  expect(body.data.length).toBeGreaterThanOrEqual(3)
})

it('queues at most twenty emails per day for concurrent incidents of 25 agents, and as many for critical ones', async () => {
  const { operator, key, regs } = await newAgentsOnPlatform(25)
  const batch = (some: string[], severity?: string) =>
    report(
      key,
      some.map((reg) => incident(reg, severity)),
    )
  const single = (reg: string) => h.api('POST', '/activity/report', { token: key, body: incident(reg) })
  const [first, second] = [regs.slice(0, 12), regs.slice(12)]
  await Promise.all([batch(first), batch(first.toReversed()), ...second.map(single), batch(second)])
  expect(await mail.rows(operator)).toHaveLength(20)

  await Promise.all([
    batch(first, 'critical'),
    batch(second, 'critical'),
    batch(regs.toReversed(), 'critical'),
    batch(regs),
  ])
  const rows = await mail.rows(operator)
  expect(rows.filter(({ critical }) => critical)).toHaveLength(20)
  expect(rows).toHaveLength(40)
})
