import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../../local/postgres/index.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { testFolder } from '../support/test-folder.ts'
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

const START_MS = 120_000
const RANDOM_RECORDS = 400
const SQL = readFileSync(new URL('../vectors/score.sql', import.meta.url), 'utf8')

const dir = testFolder()
let postgres: Postgres | undefined
let client: pg.Client | undefined

beforeAll(async () => {
  postgres = await startPostgres({ dir, fresh: true })
  client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
}, START_MS)

afterAll(async () => {
  await client?.end()
  await postgres?.stop()
})

/** The score computed by SQL in the shape of `scoreAgent`, or null. */
async function scoreInSql(rows: Rollup[], today: string, openOutages = 0) {
  const result = await client?.query(SQL, [JSON.stringify(rows), today, openOutages])
  const row = result?.rows[0]
  if (!row) return null
  const { provisional, ...numbers } = row
  return {
    provisional,
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])),
  }
}

async function expectSame(rows: Rollup[], today: string, openOutages = 0) {
  const score = scoreAgent(rows, today, openOutages)
  const other = await scoreInSql(rows, today, openOutages)
  if (score === null) return expect(other).toBeNull()
  const { computation_window_days, algorithm_version, ...comparable } = score
  expect(other).toEqual(comparable)
}

describe('the score computed in SQL with decimals', () => {
  for (const { name, record, open_outages, expected } of vectors.cases) {
    test(name, async () => {
      const other = await scoreInSql(rowsOf(record as Stretch[], vectors.today), vectors.today, open_outages)
      if (expected === null) return expect(other).toBeNull()
      const { confidence, ...numbers } = expected
      expect(other).toMatchObject({ ...numbers, confidence: expect.closeTo(confidence, 3) })
    })
  }

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

  test('is the same without any row', async () => {
    await expectSame([], vectors.today)
  })
})
