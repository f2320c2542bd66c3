import { afterAll, expect, it } from 'vitest'
import { tirelessReporter } from '../fill.ts'
import { type Body, ownStack } from '../harness.ts'

const own = await ownStack()
afterAll(own.stop)
const { api, sql, cron } = own

const NUMBERS = ['overall', 'reliability', 'accuracy', 'safety', 'speed', 'consistency', 'events_considered']

const pick = (score: Body) => Object.fromEntries(NUMBERS.map((name) => [name, Number(score[name])]))

it('publishes for each past day the rows that its history was computed from, with their hash', async () => {
  const { reg, key } = await tirelessReporter(own)
  const days = ['2026-09-01', '2026-09-02', '2026-09-04', '2026-09-30']
  for (const [n, day] of days.entries()) {
    for (const hour of ['09', '22']) {
      const at = new Date(`${day}T${hour}:00:00Z`)
      const events = Array.from({ length: 8 + n }, (_, task) => ({
        reg,
        event_type: task % 4 ? 'task_completed' : 'task_failed',
      }))
      await api('POST', '/activity/report/batch', { token: key, body: { events }, now: at })
      await cron(new Date(at.getTime() + 60_000))
    }
  }
  const now = new Date('2026-10-05T12:00:00Z')
  const stored = await sql(
    `select t.*, t.day::text from trust_scores t join agents a on a.id = t.agent_id
     where a.reg = $1 order by t.day`,
    [reg],
  )
  // Between them the window moves, and a run makes up for the days that had none.
  expect(stored.map(({ day }) => day)).toEqual(expect.arrayContaining(days))
  for (const row of stored) {
    const { body } = await api('GET', `/agents/${reg}/trust-score/inputs?date=${row.day}`, { now })
    expect(body).toMatchObject({
      today: row.day,
      sha256: row.inputs_sha256,
      algorithm_version: row.algorithm_version,
    })
    expect(pick(body.score)).toEqual(pick(row))
  }
  const { body: history } = await api('GET', `/agents/${reg}/trust-score/history?limit=100`, { now })
  expect(history.data.map(pick)).toEqual(stored.map(pick).reverse())
})
