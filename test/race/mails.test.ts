import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'

const h = shared()
const mail = mailControl(h)

const WRITERS = 20

it(`queues one email per type, agent and hour for ${WRITERS} concurrent incidents`, async () => {
  const { operator, reg, key } = await h.newReporter()
  await Promise.all(Array.from({ length: WRITERS }, () => h.report(key, reg, { event_type: 'incident' })))
  expect(await mail.rows(operator)).toHaveLength(1)
  await mail.settled(operator)
  expect(await mail.received(operator)).toHaveLength(1)
})

it(`queues at most twenty emails per day for concurrent incidents of 25 agents`, async () => {
  const operator = await h.newOperator({ tier: 'pro' })
  const agents = await Promise.all(Array.from({ length: 25 }, () => h.newAgent(operator)))
  const { key } = await h.newKey(operator)
  const events = agents.map(({ reg }) => ({ reg, event_type: 'incident' }))
  const [first = [], second = []] = [events.slice(0, 12), events.slice(12)]
  const batch = (some: object[]) =>
    h.api('POST', '/activity/report/batch', { token: key, body: { events: some } })
  const single = (event: object) => h.api('POST', '/activity/report', { token: key, body: event })
  await Promise.all([batch(first), batch(first.toReversed()), ...second.map(single), batch(second)])
  expect(await mail.rows(operator)).toHaveLength(20)
})
