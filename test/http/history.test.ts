import { expect, it } from 'vitest'
import { type Body, shared } from '../support/harness.ts'

const { api, sql, newOperator, newAgent } = shared()

const history = (reg: string, query = '') => api('GET', `/agents/${reg}/trust-score/history${query}`)

/** Stores a score for each of the last days, as the daily snapshots do. */
async function agentWithHistory(days: number): Promise<string> {
  const { id, reg } = await newAgent(await newOperator())
  await sql(
    `insert into trust_scores (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
       events_considered, algorithm_version, inputs_sha256, computed_at)
     select $1, '2026-11-20'::date - n, 60 + n % 40 + 0.5, 61, 62.5, 63.1, 100, 0, 10 + n, '1.0', repeat('0', 64),
       ('2026-11-20'::date - n) + time '23:58:00.123' at time zone 'utc'
     from generate_series(0, $2::integer - 1) n order by random()`,
    [id, days],
  )
  return reg
}

it('returns a score with exactly its fields, and an empty list without one', async () => {
  expect((await history(await agentWithHistory(0))).body).toEqual({ data: [] })
  expect((await history(await agentWithHistory(1))).body.data).toEqual([
    {
      day: '2026-11-20',
      overall: 60.5,
      reliability: 61,
      accuracy: 62.5,
      safety: 63.1,
      speed: 100,
      consistency: 0,
      events_considered: 10,
      computed_at: '2026-11-20T23:58:00.123Z',
    },
  ])
})

it('returns the newest scores first, 30 by default and 365 at most', async () => {
  const reg = await agentWithHistory(400)
  for (const [query, size] of [
    ['', 30],
    ['?limit=1', 1],
    ['?limit=365', 365],
  ] as const) {
    const { body } = await history(reg, query)
    const considered = body.data.map((score: Body) => score.events_considered)
    expect([query, considered]).toEqual([query, Array.from({ length: size }, (_, n) => 10 + n)])
  }
})
