import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const h = shared()
const { cron, newOperator, sql } = h

it('keeps a stored response that is renewed while the clean-up waits for its row', async () => {
  const { id } = await newOperator()
  const now = new Date()
  const old = new Date(now.getTime() - 49 * 3_600_000).toISOString()
  await sql(
    `insert into idempotency_keys (scope, body_sha256, answer, created_at)
     select $1 || n, 'x', '{}', $2 from generate_series(1, 2) n`,
    [`${id}-`, old],
  )
  const held = await holdOpen(h, 'update idempotency_keys set created_at = $2 where scope = $1', [
    `${id}-1`,
    now.toISOString(),
  ])
  const running = cron(now)
  await held.isWaitedFor()
  await held.commit()
  await running
  const left = await sql('select scope from idempotency_keys where scope like $1', [`${id}-%`])
  expect(left).toEqual([{ scope: `${id}-1` }])
})
