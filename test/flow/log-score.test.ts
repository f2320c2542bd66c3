import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { rootFromTiles, tileReader } from '../../packages/verify/index.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { tirelessKey } from '../support/fill.ts'
import { ownStack } from '../support/harness.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { closeDays } from '../support/logged.ts'

const DAYS = 90

const own = await ownStack()
afterAll(own.stop)

it('a score of 90 days follows from the leaves, and a wrong sum is found, proved, and corrected by another leaf', async () => {
  const operator = await own.newOperator()
  const { reg, id } = await own.newAgent(operator)
  const key = await tirelessKey(own, operator, ['read', 'activity:report'])
  for (let day = DAYS - 1; day >= 1; day--) {
    const events = Array.from({ length: 3 }, (_, n) => ({
      reg,
      event_type: n === 2 && day % 7 === 0 ? 'task_failed' : 'task_completed',
      metadata: { quality: 0.9, response_ms: 900 },
    }))
    const now = new Date(Date.now() - day * DAY_MS)
    const { status } = await own.api('POST', '/activity/report/batch', { token: key, body: { events }, now })
    expect(status).toBe(201)
  }
  const wrong = utcDay(new Date(Date.now() - 3 * DAY_MS))
  await own.sql(
    'update agent_evidence set completed = completed - 1, failed = failed + 1 where agent_id = $1 and day = $2',
    [id, wrong],
  )
  await closeDays(own)

  const dir = mkdtempSync(join(own.dir, 'proofs-'))
  const owner = () => run(own.base_url, reg, '--key', key, '--save', dir)
  expectFinding(await owner(), wrong)
  const { body } = await own.api('GET', '//log/info.json')
  const proofs = readdirSync(dir).filter((file) => file.endsWith('.tlog-proof'))
  expect(proofs.length).toBeGreaterThan(0)
  for (const file of proofs.slice(0, 5))
    expect(await run('--offline', join(dir, file), '--vkey', body.vkeys[0])).toMatchObject({ status: 0 })

  await rebuildTrust(own.database_url, { repair: true })
  await closeDays(own)
  const days = await own.api('GET', `/agents/${reg}/log-entries?kind=day&limit=100&cursor=`)
  const revisions = days.body.data.flatMap(({ leaf }: { leaf: string }) => {
    const { day, rev } = JSON.parse(leaf)
    return day === wrong ? [rev] : []
  })
  expect(revisions).toEqual([1, 2])
  expect(await owner()).toMatchObject({ status: 0 })
})

it('serves the largest head, compared as a number and across days', async () => {
  const { text } = await own.api('GET', '//log/checkpoint')
  const root = await rootFromTiles(9, tileReader(`${own.base_url}/log`).readTiles)
  await own.sql(
    `insert into tlog_heads (day, size, root, note, signed_at)
     select current_date - 1, 9, $1::bytea, 'localhost/log\nan older head', now() - interval '1 day'`,
    [Buffer.from(root)],
  )
  expect((await own.api('GET', '//log/checkpoint')).text).toBe(text)
  expect((await own.api('GET', '//log/info.json')).body.size).toBeGreaterThan(9)
})
