import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Rollup } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { shared } from '../support/harness.ts'
import {
  dayOfAge,
  emptyRow,
  randomRollups,
  rowsOf,
  rowsOfTie,
  type Stretch,
  seeded,
} from '../vectors/rollups.ts'
import ties from '../vectors/score-ties.json' with { type: 'json' }
import vectors from '../vectors/trust-score.json' with { type: 'json' }

const RANDOM_RECORDS = 400
const SQL = readFileSync(new URL('../vectors/score.sql', import.meta.url), 'utf8')

const { sql } = shared()

/** Expects exactly the score of `scoreAgent` from SQL. */
async function expectSame(rows: Rollup[], today: string, openOutages = 0) {
  const score = scoreAgent(rows, today, openOutages)
  const [row] = await sql(SQL, [JSON.stringify(rows), today, openOutages])
  if (score === null) return expect(row).toBeUndefined()
  const { computation_window_days, algorithm_version, ...comparable } = score
  const { provisional, ...numbers } = row
  const values = Object.entries(numbers).map(([name, value]) => [name, Number(value)])
  expect({ provisional, ...Object.fromEntries(values) }).toEqual(comparable)
}

describe('the score computed in SQL with decimals', () => {
  test.each(vectors.cases)('$name', async ({ record, open_outages }) => {
    await expectSame(rowsOf(record as Stretch[], vectors.today), vectors.today, open_outages)
  })

  test('is exactly the same for random records', async () => {
    const random = seeded(7)
    for (let run = 0; run < RANDOM_RECORDS; run++) {
      const rows = randomRollups(random, vectors.today, { largest: run % 2 ? 12 : 1e8 })
      await expectSame(rows, vectors.today, run % 3)
    }
  })

  test.each(ties.cases)('is the same for a tie and one unit beside it: $name', async (tie) => {
    for (const more of [-1, 0, 1]) await expectSame(rowsOfTie(tie, ties.today, more), ties.today)
  })

  test('is the same for ties in the confidence of one row', async () => {
    for (let completed = 1; completed < 256; completed += 2) {
      const row = { ...emptyRow(dayOfAge(81, ties.today), 'independent'), completed, failed: 256 - completed }
      await expectSame([row], ties.today)
    }
  })
})
