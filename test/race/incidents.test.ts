import { expect, it } from 'vitest'
import { atOnce, statusesOf, WRITERS } from '../support/at-once.ts'
import { eventually, tirelessKey } from '../support/fill.ts'
import { type ApiResponse, type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform, report } = h

/** Repeats a call while it returns 503, as happens on a busy machine. */
const untilDone = (call: () => Promise<ApiResponse>) => eventually(call, ({ status }) => status !== 503)

/** An agent on a platform, with this many open incidents. */
async function withIncidents(count: number) {
  const owner = await newOperator()
  const platform = await newPlatform(owner, { webhook_url: 'http://127.0.0.1:9/hook' })
  const agent = await newAgent(owner, { platform_slug: platform.slug })
  const key = await tirelessKey(h, owner, ['write'])
  for (let n = 0; n < count; n++) await report(key, agent.reg, { event_type: 'incident' })
  const { body } = await api('GET', `/agents/${agent.reg}/incidents`)
  const ids: string[] = body.data.map(({ incident_id }: Body) => incident_id)
  return { owner, reg: agent.reg as string, key, ids }
}

const resolve = (id: string, token: string, resolution: string) =>
  api('POST', `/incidents/${id}/resolve`, { token, body: { resolution } })

// That the counters of an agent match its events and open incidents is checked at the end of the run.
const reportsOf = (id: string) =>
  sql(`select from webhook_events where type = 'incident.resolved' and data ->> 'incident_id' = $1`, [id])

it('resolves an incident once for twenty concurrent requests, and returns the resolution of the first to all', async () => {
  const { key, ids } = await withIncidents(2)
  const responses = await atOnce((n) => untilDone(() => resolve(ids[0] ?? '', key, `said ${n}`)))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const [first] = responses
  for (const { body } of responses) expect(body).toEqual(first?.body)
  expect(await reportsOf(ids[0] ?? '')).toHaveLength(1)
})

it('resolves and reports incidents concurrently, one by one and in batches over two agents', async () => {
  const [one, two] = await Promise.all([withIncidents(10), withIncidents(10)])
  const second = await newAgent(one.owner)
  const batch = (regs: string[]) =>
    api('POST', '/activity/report/batch', {
      token: one.key,
      body: { events: regs.map((reg) => ({ reg, event_type: 'incident' })) },
    })
  const single = () =>
    api('POST', '/activity/report', { token: two.key, body: { reg: two.reg, event_type: 'incident' } })
  const resolveAll = ({ ids, key }: typeof one) =>
    Promise.all(ids.map((id) => untilDone(() => resolve(id, key, 'done'))))
  const responses = await Promise.all([
    resolveAll(one),
    resolveAll(two),
    atOnce((n) => untilDone(() => batch(n % 2 ? [one.reg, second.reg] : [second.reg, one.reg]))),
    atOnce(() => untilDone(single)),
  ])
  expect(statusesOf(responses.flat())).toEqual({ 200: WRITERS, 201: 2 * WRITERS })
  for (const id of [...one.ids, ...two.ids]) expect(await reportsOf(id)).toHaveLength(1)
})
