import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { rootFromTiles, tileReader } from '../../packages/verify/index.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { tirelessKey } from '../support/fill.ts'
import { ownStack } from '../support/harness.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { closeDays } from '../support/logged.ts'

const DAYS = 90
const GO = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' }
const PROGRAM = join(import.meta.dirname, '../vectors/check-tlog.go')
const PROOFS = 200
const BATCHES = 8
const BATCH = 99

const own = await ownStack()
afterAll(own.stop)

const hasGo = spawnSync('go', ['list', 'golang.org/x/mod/sumdb/tlog'], { env: GO }).status === 0
const missing = 'needs Go and its x/mod: apt-get install golang-go golang-golang-x-mod-dev'

it("the log verifies with the library of Go's checksum database: the root from leaves, and proofs", async ({
  skip,
}) => {
  if (!hasGo) skip(missing)
  const { reg, key } = await own.newReporter()
  const events = Array.from({ length: BATCH }, () => ({ reg, event_type: 'task_completed' }))
  for (let n = 0; n < BATCHES; n++) {
    await own.api('POST', '/activity/report/batch', { token: key, body: { events } })
    await own.cron()
  }
  const { body: info } = await own.api('GET', '//log/info.json')
  const check = (vkey: string) =>
    promisify(execFile)('go', ['run', PROGRAM, `${own.base_url}/log`, vkey, String(PROOFS)], { env: GO })
  const { stdout } = await check(info.vkeys[0])
  expect(stdout).toMatch(new RegExp(`^${info.size} leaves, ${PROOFS} proofs, \\d+ tiles read\\n$`))
  expect(info.size).toBeGreaterThan(BATCHES * BATCH)

  await own.sql(`begin; alter table tlog_bundles disable trigger user;
    update tlog_bundles set entries = set_byte(entries, 20, 255 - get_byte(entries, 20)) where n = 1; commit`)
  await expect(check(info.vkeys[0])).rejects.toMatchObject({
    stderr: expect.stringContaining('the root of the checkpoint from its leaves'),
  })
  await own.sql(`begin; update tlog_bundles set entries = set_byte(entries, 20, 255 - get_byte(entries, 20)) where n = 1;
    alter table tlog_bundles enable always trigger tlog_bundles_grows;
    alter table tlog_bundles enable always trigger tlog_bundles_stays; commit`)
})

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
