import { afterAll, describe, expect, it } from 'vitest'
import { type Body, ownStack, startReceiver } from '../support/harness.ts'
import { at, changesOf, daysAfter, irreproducible, newScored } from '../support/scored.ts'
import { expectSigned } from '../support/signature.ts'

type Scored = Awaited<ReturnType<typeof newScored>>

const own = await ownStack()
afterAll(own.stop)

describe.each([
  ['a day', '2027-01-14'],
  ['a February', '2028-02-29'],
  ['a year', '2028-12-31'],
])('at the end of %s', (_, day) => {
  const next = daysAfter(day, 1)

  it('counts an event after the last run in the final snapshot of its day', async () => {
    const agent = await newScored(own, { now: at(day, '09:00:00') })
    await agent.work(at(day, '10:00:00'), 30)
    await own.cron(at(day, '23:59:00'))
    const [early] = await agent.history()
    expect(early).toMatchObject({ day, events_considered: 30 })

    await agent.work(at(day, '23:59:50'), 0, 15)
    await own.cron(at(next, '00:00:30'))
    const rows = await agent.history()
    expect(rows[0]).toMatchObject({ day, events_considered: 45 })
    expect(rows[0].inputs_sha256).not.toBe(early.inputs_sha256)
    expect(rows.slice(1).map((row) => row.day)).not.toContain(day)
    expect(await irreproducible(own, agent.id, rows)).toEqual([])

    await agent.work(at(next, '00:00:40'), 5)
    await own.cron(at(next, '00:01:00'))
    await own.cron(at(daysAfter(day, 2), '00:00:00'))
    const later = await agent.history()
    expect(later[0]).toEqual(rows[0])
    expect(later[1]).toMatchObject({ day: next, events_considered: 50 })
    expect(await irreproducible(own, agent.id, later)).toEqual([])
  })

  it('gives an agent deactivated at 23:59 a last score with all its events', async () => {
    const agent = await newScored(own, { now: at(day, '09:00:00') })
    await agent.work(at(day, '10:00:00'), 30)
    await own.cron(at(day, '23:58:00'))
    await agent.work(at(day, '23:59:10'), 0, 15)
    const body = { status: 'deactivated' }
    const call = { token: agent.operator.token, body, now: at(day, '23:59:20') }
    expect((await own.api('PATCH', `/agents/${agent.reg}`, call)).status).toBe(200)
    await own.cron(at(next, '00:00:00'))
    const rows = await agent.history()
    expect(rows).toMatchObject([{ day, events_considered: 45 }])
    expect(await irreproducible(own, agent.id, rows)).toEqual([])
    expect(await agent.stats()).toMatchObject({
      overall: rows[0].overall,
      scored_day: null,
      unscored_since: null,
    })
    await own.cron(at(daysAfter(day, 40), '00:00:00'))
    expect(await agent.history()).toEqual(rows)
  })
})

describe('a deactivation while the clock is 0.4 s back across midnight', () => {
  const day = '2028-09-11'
  const next = daysAfter(day, 1)

  /** The history and day leaves of an agent that is deactivated after some work on the new day. */
  async function deactivatedAfter(work: (agent: Scored) => Promise<unknown>) {
    const agent = await newScored(own, { now: at(day, '09:00:00') })
    await agent.work(at(day, '10:00:00'), 30)
    await work(agent)
    const body = { status: 'deactivated' }
    const call = { token: agent.operator.token, body, now: at(day, '23:59:59.800') }
    expect((await own.api('PATCH', `/agents/${agent.reg}`, call)).status).toBe(200)
    for (const n of [1, 2, 3]) await own.cron(at(daysAfter(day, n), '01:00:00'))
    const history = await agent.history()
    expect(await irreproducible(own, agent.id, history)).toEqual([])
    const later = { now: at(daysAfter(day, 3), '02:00:00') }
    const { trust_score_overall: overall } = (await own.api('GET', `/agents/${agent.reg}`, later)).body
    expect(Number(overall)).toBe(history.at(-1).overall)
    const { body: listed } = await own.api('GET', `/agents/${agent.reg}/log-entries?kind=day`)
    const leaves: Body[] = listed.data.map(({ leaf }: Body) => JSON.parse(leaf))
    return {
      history: history.map((row) => [row.day, row.events_considered]),
      leaves: leaves.map(({ day, rows, score }) => [day, rows.length, score?.events]),
    }
  }

  it('does not leave events of the new day without a score', async () => {
    const found = await deactivatedAfter((agent) => agent.work(at(next, '00:00:00.200'), 5))
    expect(found).toEqual({
      history: [
        [day, 30],
        [next, 35],
      ],
      leaves: [
        [day, 1, 30],
        [next, 1, 35],
      ],
    })
  })

  it('does not end before a score of the new day', async () => {
    const found = await deactivatedAfter(() => own.cron(at(next, '00:00:00.200')))
    expect(found).toEqual({
      history: [
        [day, 30],
        [next, 30],
      ],
      leaves: [
        [day, 1, 30],
        [next, 0, 30],
      ],
    })
  })
})

describe('the daily snapshot', () => {
  it('follows the window of an agent without new events, until its score ends', async () => {
    const first = '2029-01-10'
    const agent = await newScored(own, { now: at(first, '09:00:00') })
    await agent.work(at(first, '10:00:00'), 20, 2)
    await agent.work(at(daysAfter(first, 3), '10:00:00'), 8)
    const days = [0, 1, 2, 3, 4, 30, 31, 89, 90, 91, 92, 93, 94]
    for (const day of days) await own.cron(at(daysAfter(first, day), '12:00:00'))
    const rows = await agent.history()
    expect(await irreproducible(own, agent.id, rows)).toEqual([])
    // 22 tasks leave the window on day 90, and 8 are too few.
    expect(rows.at(-1).day <= daysAfter(first, 89)).toBe(true)
    expect(new Set(rows.map((row) => row.overall)).size).toBeGreaterThan(3)
    expect(await agent.stats()).toMatchObject({ overall: null, scored_day: null, unscored_since: null })
    const reported = await agent.reported('trust.updated')
    expect(reported.at(-1).created_at.toISOString().slice(0, 10) <= daysAfter(first, 89)).toBe(true)
    const { body } = await own.api('GET', `/agents/${agent.reg}`, {
      now: at(daysAfter(first, 90), '12:00:00'),
    })
    expect(body.trust_score_overall).toBeNull()
  })

  it('is computed later for every day of an outage', async () => {
    const first = '2029-06-01'
    const agent = await newScored(own, { now: at(first, '09:00:00') })
    await agent.work(at(first, '10:00:00'), 30, 3)
    await own.cron(at(first, '12:00:00'))
    await agent.work(at(daysAfter(first, 2), '10:00:00'), 3, 9)
    await agent.work(at(daysAfter(first, 40), '10:00:00'), 30)
    for (const day of [43, 44]) await own.cron(at(daysAfter(first, day), '12:00:00'))
    const days = Array.from({ length: 45 }, (_, day) => daysAfter(first, day))
    const expected = await changesOf(own, agent.id, days)
    expect(expected.length).toBeGreaterThan(10)
    const rows = await agent.history()
    expect(rows.map(({ computed_at, ...row }) => row)).toEqual(expected)
  })
})

describe('a score that changes', () => {
  /** An agent with twenty good days, the last of which are scored. */
  async function newTrusted(first: string, fields: object = {}) {
    const agent = await newScored(own, { now: at(first, '09:00:00'), ...fields })
    for (let day = 0; day < 20; day++) await agent.work(at(daysAfter(first, day), '10:00:00'), 40)
    return agent
  }

  it('is reported to the platform, with each threshold that it crosses, and to the operator once per day if it falls', async () => {
    const first = '2030-02-01'
    await using receiver = await startReceiver()
    const agent = await newTrusted(first, { webhook_url: receiver.url })
    await own.cron(at(daysAfter(first, 19), '12:00:00'))
    const { overall: high } = await agent.stats()
    const reg = agent.reg
    const up = [40, 60, 80].map((threshold) => ({
      reg,
      threshold,
      direction: 'up',
      previous_score: 0,
      new_score: high,
    }))
    const crossed = async () => (await agent.reported('trust.threshold_crossed')).map(({ data }) => data)
    expect(await crossed()).toEqual(expect.arrayContaining(up))
    expect(await crossed()).toHaveLength(3)
    expect(await agent.alerts()).toEqual([])

    const day = daysAfter(first, 20)
    await agent.burn(at(day, '10:00:00'))
    await own.cron(at(day, '12:00:00'))
    const { overall: low } = await agent.stats()
    expect(low).toBeLessThan(79)
    const down = { ...up[2], direction: 'down', previous_score: high, new_score: low }
    expect((await crossed()).slice(3)).toEqual([down])
    const now = at(day, '12:00:30')
    const { body: score } = await own.api('GET', `/agents/${reg}/trust-score`, { now })
    const { reliability, accuracy, safety, speed, consistency } = score
    expect((await agent.reported('trust.updated')).at(-1).data).toEqual({
      reg,
      previous_score: high,
      new_score: low,
      dimensions: { reliability, accuracy, safety, speed, consistency },
    })

    const [alert, ...more] = await agent.alerts()
    expect(more).toEqual([])
    expect(alert).toMatchObject({ operator_id: agent.operator.id, created_at: at(day, '12:00:00') })
    expect(alert.title).toBe(`Trust score fell from ${high.toFixed(1)} to ${low.toFixed(1)}`)
    expect(alert.body).toContain(`${reg}) was at ${high.toFixed(1)} on ${daysAfter(first, 19)}`)
    expect(alert.body).toContain(`and at ${low.toFixed(1)} on ${day}. It is now below 80.`)
    const { body } = await own.api('GET', '/operators/me/notifications', { token: agent.operator.token, now })
    const shown = { type: 'trust_alert', reg, title: alert.title }
    expect(body.data).toContainEqual(expect.objectContaining(shown))

    await agent.work(at(day, '13:00:00'), 0, 200)
    await own.cron(at(day, '13:01:00'))
    expect((await agent.stats()).overall).toBeLessThan(low)
    await own.cron(at(daysAfter(day, 1), '00:00:00'))
    expect(await agent.alerts()).toHaveLength(1)
    for (const webhook of await receiver.arrival(4, 'trust.threshold_crossed'))
      expectSigned(webhook, agent.platform.webhook_secret)
  })

  it('is reported for a fall in the last seconds of a day, unless the operator opted out', async () => {
    const first = '2032-02-01'
    const [agent, quiet] = await Promise.all([newTrusted(first), newTrusted(first)])
    for (const day of [18, 19]) await own.cron(at(daysAfter(first, day), '12:00:00'))
    const day = daysAfter(first, 19)
    await own.api('PATCH', '/operators/me', {
      token: quiet.operator.token,
      body: { notification_prefs: { trust_alerts: false } },
      now: at(day, '13:00:00'),
    })
    for (const one of [agent, quiet]) await one.burn(at(day, '23:59:50'))
    await own.cron(at(daysAfter(day, 1), '00:00:00'))
    expect((await quiet.stats()).overall).toBeLessThan(79)
    expect([await agent.alerts(), await quiet.alerts()]).toMatchObject([
      [{ operator_id: agent.operator.id }],
      [],
    ])
  })
})

it('scores events with a time in the future when their day comes', async () => {
  const [today, ahead] = ['2034-05-01', '2034-05-03']
  const agent = await newScored(own, { now: at(today, '09:00:00') })
  await agent.work(at(today, '10:00:00'), 20)
  await agent.work(at(ahead, '00:00:10'), 5)
  await own.cron(at(today, '12:00:00'))
  expect(await agent.history()).toMatchObject([{ day: today, events_considered: 20 }])
  expect(await agent.stats()).toMatchObject({ unscored_since: at('2034-05-02', '00:00:00') })
  await own.cron(at(today, '12:01:00'))
  await own.cron(at(ahead, '00:01:00'))
  const rows = await agent.history()
  expect(rows.at(-1)).toMatchObject({ day: ahead, events_considered: 25 })
  expect(await irreproducible(own, agent.id, rows)).toEqual([])
})

it('/ready shows how long the oldest agent has waited, and null when none waits', async () => {
  const waited = async (now: Date) => {
    const { body } = await own.api('GET', '//ready', { now })
    return body.oldest_unscored_agent_seconds
  }
  const day = '2035-05-01'
  await own.cron(at(day, '09:00:00'))
  const agent = await newScored(own, { now: at(day, '09:00:00') })
  await agent.work(at(day, '10:00:00'), 20)
  await expect.poll(() => waited(at(day, '10:02:00'))).toBe(120)
  await own.cron(at(day, '10:03:00'))
  await expect.poll(() => waited(at(day, '10:04:00'))).toBeNull()
})
