import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { ownStack } from '../support/harness.ts'

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
  const run = (vkey: string) =>
    promisify(execFile)('go', ['run', PROGRAM, `${own.base_url}/log`, vkey, String(PROOFS)], { env: GO })
  const { stdout } = await run(info.vkeys[0])
  expect(stdout).toMatch(new RegExp(`^${info.size} leaves, ${PROOFS} proofs, \\d+ tiles read\\n$`))
  expect(info.size).toBeGreaterThan(BATCHES * BATCH)

  await own.sql(`begin; alter table tlog_bundles disable trigger user;
    update tlog_bundles set entries = set_byte(entries, 20, 255 - get_byte(entries, 20)) where n = 1; commit`)
  await expect(run(info.vkeys[0])).rejects.toMatchObject({
    stderr: expect.stringContaining('the root of the checkpoint from its leaves'),
  })
  await own.sql(`begin; update tlog_bundles set entries = set_byte(entries, 20, 255 - get_byte(entries, 20)) where n = 1;
    alter table tlog_bundles enable always trigger tlog_bundles_grows;
    alter table tlog_bundles enable always trigger tlog_bundles_stays; commit`)
})
