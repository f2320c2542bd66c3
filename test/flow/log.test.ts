import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { openCheckpoint, parsePolicy, rootFromTiles, tileReader } from '../../packages/verify/index.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { parseNote } from '../../src/transparency/note.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Body, expectError, ownStack } from '../support/harness.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { closeDays } from '../support/logged.ts'
import { judgeReceipt, reportWithReceipt } from '../support/receipts.ts'

const own = await ownStack()
afterAll(own.stop)

type Worker = Pick<Awaited<ReturnType<typeof own.variant>>, 'url' | 'api'>
const current: Worker = { url: own.base_url, api: own.api }
const entriesOf = async ({ api }: Worker, reg: string, query = ''): Promise<Body[]> =>
  (await api('GET', `/agents/${reg}/log-entries${query}`)).body.data
const good = { status: 0, err: '' }

// Must run first, while the log is empty.
describe('a service without LOG_KEY', () => {
  const PATHS = ['checkpoint', 'info.json', 'tile/0/000.p/1', 'tile/entries/000.p/1', 'proof/0']

  async function expectOff({ api, url }: Worker, reg: string): Promise<void> {
    for (const path of PATHS) {
      const response = await api('GET', `//log/${path}`)
      expectError(response, 404, 'NOT_FOUND', /this registry has no transparency log/)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    expect((await api('GET', `/verify/${reg}/token`)).status).toBe(200)
    expect(await run(url, reg, '--issuer', own.base_url)).toMatchObject({
      status: 2,
      out: expect.stringContaining('the registry has no transparency log'),
    })
  }

  /** Makes changes that add leaves if there is a log. */
  async function makeChanges({ api }: Worker, { reg, key, operator }: Body): Promise<void> {
    const down = { reg, event_type: 'incident', severity: 'error', metadata: { title: 'Down' } }
    for (const body of [{ reg, event_type: 'task_completed' }, down])
      expect((await api('POST', '/activity/report', { token: key, body })).status).toBe(201)
    const renamed = { token: operator.token, body: { description: `since ${Math.random()}` } }
    expect((await api('PATCH', `/agents/${reg}`, renamed)).status).toBe(200)
  }

  it('has no log but is otherwise complete, and logs earlier changes when it is switched on', async () => {
    await using off = await own.variant({ LOG_KEY: undefined })
    const reporter = await own.newReporter()
    const { reg, operator } = reporter
    const { key } = await own.newKey(operator, ['read'])
    const verify = () => run(own.base_url, reg, '--key', key, '--state', join(own.dir, 'on.json'), '--all')
    await makeChanges(off, reporter)
    await runCron(off.url, new Date())
    await expectOff(off, reg)
    const { status, log } = (await off.api('GET', '//ready')).body
    expect([status, log]).toEqual(['ok', { size: 0, signed_size: 0, state: 'off' }])
    expect(await entriesOf(off, reg)).toEqual([])

    await own.cron()
    const kinds = (await entriesOf(current, reg)).map(({ leaf }) => JSON.parse(leaf).kind)
    expect(kinds.sort()).toEqual(['agent', 'agent', 'event', 'event', 'incident'])
    expect(await verify()).toMatchObject(good)

    const head = await own.sql('select size, root from tlog_heads')
    await makeChanges(off, reporter)
    await runCron(off.url, new Date())
    await expectOff(off, reg)
    expect(await own.sql('select size, root from tlog_heads')).toEqual(head)
    await own.cron()
    expect(await entriesOf(current, reg)).toHaveLength(9)
    expect(await verify()).toMatchObject(good)
  })
})

describe('a rotation of the log key', () => {
  const signersOf = async ({ api }: Worker) =>
    parseNote((await api('GET', '//log/checkpoint')).text)?.signatures.map(({ name }) => name)
  const vkeysOf = async ({ api }: Worker) => (await api('GET', '//log/info.json')).body.vkeys
  const trustedBy = (state: string) => JSON.parse(readFileSync(state, 'utf8')).vkeys

  /** Why clients with these keys reject the current head; null if they accept it. */
  async function rejectionOf({ api }: Worker, ...vkeys: string[]) {
    const policy = await parsePolicy([...vkeys.map((vkey) => `log ${vkey}`), 'quorum none'].join('\n'))
    return (await openCheckpoint((await api('GET', '//log/checkpoint')).text, policy)).reason
  }

  it('signs with both keys during the rotation, logs each step, and never breaks an old state file', async () => {
    const { reg, key } = await own.newReporter()
    const [[old], next] = [await vkeysOf(current), await makeSignerKey('localhost/log')]
    const verify = (worker: Worker, ...args: string[]) =>
      run(worker.url, reg, '--issuer', own.base_url, ...args)
    const signNewHead = async ({ url }: Worker) => {
      await own.report(key, reg)
      await runCron(url, new Date())
    }
    const [faithful, absent, short] = ['faithful', 'absent', 'short'].map((name) => join(own.dir, name)) as [
      string,
      string,
      string,
    ]
    const dir = mkdtempSync(join(own.dir, 'proofs-'))

    await signNewHead(current)
    for (const state of [faithful, absent, short])
      expect(await verify(current, '--state', state, '--all')).toMatchObject(good)
    expect(await verify(current, '--save', dir)).toMatchObject(good)

    const both = await own.variant({ LOG_KEY_NEXT: next.skey })
    const alone = await own.variant({ LOG_KEY: next.skey })
    try {
      await fetch(`${own.witness_url}/logs`, { method: 'PUT', body: JSON.stringify([old, next.vkey]) })
      await signNewHead(both)
      expect(await vkeysOf(both)).toEqual([old, next.vkey])
      expect(await signersOf(both)).toEqual(['localhost/log', 'localhost/log', 'witness.local/w1'])
      for (const vkeys of [[old], [next.vkey], [old, next.vkey]])
        expect(await rejectionOf(both, ...vkeys)).toBe(null)
      const during = await verify(both, '--state', faithful, '--all')
      expect(during.out).toContain(`note: a key of the log was added: ${next.vkey}`)
      expect(trustedBy(faithful)).toEqual([old, next.vkey])
      expect(await verify(both, '--state', short)).toMatchObject(good)
      expect(trustedBy(short)).toEqual([old])

      await signNewHead(alone)
      expect(await vkeysOf(alone)).toEqual([next.vkey])
      expect(await signersOf(alone)).toEqual(['localhost/log', 'witness.local/w1'])
      expect([await rejectionOf(alone, old), await rejectionOf(alone, next.vkey)]).toEqual(['unsigned', null])
      const after = await verify(alone, '--state', faithful, '--all')
      expect(after).toMatchObject(good)
      expect(after.out).toContain(`note: a key of the log was removed: ${old}`)
      expect(trustedBy(faithful)).toEqual([next.vkey])

      for (const state of [absent, short]) {
        expectFinding(await verify(alone, '--state', state), 'not signed by a trusted key of the log')
        const pinned = await verify(alone, '--state', state, '--vkey', next.vkey)
        expect(pinned.out).toMatch(/state +ok +the \d+ leaves seen on \S+ are unchanged, \d+ more/)
        expect(await verify(alone, '--state', state)).toMatchObject(good)
      }
      const proof = readdirSync(dir).find((file) => file.endsWith('.tlog-proof')) ?? ''
      expect(await run('--offline', join(dir, proof), '--vkey', old)).toMatchObject({ status: 0 })
    } finally {
      await Promise.all([both.stop(), alone.stop()])
    }

    await signNewHead(current)
    const whole = await run(own.base_url, '--all', '--state', faithful, '--vkey', old)
    expect(whole).toMatchObject(good)
    expect(whole.out).toContain('1 leaf of token keys')
    expect(trustedBy(faithful)).toEqual([old])
  })
})

it('a receipt shows that its event was dropped, also if another one has its number', async () => {
  const { key, reg, agent, operator } = await own.newReporter()
  const { key: reader } = await own.newKey(operator, ['read'])
  await own.report(key, reg)
  const { id, receipt } = await reportWithReceipt(own, key, reg)
  const judge = (options: Parameters<typeof judgeReceipt>[2]) => judgeReceipt(own, receipt, options)
  await own.sql(`begin; alter table activity_events disable trigger all;
    delete from activity_events where id = '${id}'; alter table activity_events enable trigger all;
    update agent_stats set events = events - 1, tasks_completed = tasks_completed - 1 where agent_id = '${agent.id}';
    update agent_evidence set events = events - 1, completed = completed - 1 where agent_id = '${agent.id}'; commit`)
  await own.cron()
  const later = (days: number) => ({ now: new Date(Date.now() + days * DAY_MS) })
  for (const [verdict, days, detail] of [
    ['incomplete', 0, / event 2: not in the log yet, due at /],
    ['incomplete', 0.5, / event 2: late, due at /],
    ['failed', 2, /^promise broken: .* event 2: 1 leaf missing/],
  ] as const)
    expect(await judge(later(days))).toEqual([verdict, expect.stringMatching(detail)])
  const other = await reportWithReceipt(own, key, reg)
  await own.cron()
  const broken = expect.stringMatching(/^promise broken: .* in its place/)
  expect(await judge({ key: reader })).toEqual(['failed', broken])

  const [file, keys] = [join(own.dir, 'receipts'), join(own.dir, 'keys.json')]
  writeFileSync(keys, await (await fetch(`${own.base_url}/.well-known/jwks.json`)).text())
  const verify = (text: string) => {
    writeFileSync(file, text)
    return run(own.base_url, '--receipt', file, '--keys', keys, '--key', reader)
  }
  expectFinding(await verify(`${other.receipt}\n${JSON.stringify({ receipt })}\n`), 'promise broken')
  expect(await verify(other.receipt)).toMatchObject({ status: 0 })
})

it("the log verifies with the library of Go's checksum database: signatures, the root from leaves, and proofs", async ({
  skip,
}) => {
  const [batches, batch, proofs] = [8, 99, 200]
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' }
  if (spawnSync('go', ['list', 'golang.org/x/mod/sumdb/tlog'], { env }).status !== 0)
    skip('needs Go and its x/mod: apt-get install golang-go golang-golang-x-mod-dev')
  const program = join(import.meta.dirname, '../vectors/check-tlog.go')
  const { reg, key } = await own.newReporter()
  const events = Array.from({ length: batch }, () => ({ reg, event_type: 'task_completed' }))
  for (let n = 0; n < batches; n++) {
    await own.reportBatch(key, events)
    await own.cron()
  }
  const { body: info } = await own.api('GET', '//log/info.json')
  const args = [`${own.base_url}/log`, info.vkeys[0], String(proofs), info.witnesses[0].vkey]
  const check = () => promisify(execFile)('go', ['run', program, ...args], { env })
  const { stdout } = await check()
  expect(stdout).toMatch(new RegExp(`^${info.size} leaves, ${proofs} proofs, \\d+ tiles read\\n$`))
  expect(info.size).toBeGreaterThan(batches * batch)

  const flip = `update tlog_bundles set entries = set_byte(entries, 20, 255 - get_byte(entries, 20)) where n = 1`
  await own.sql(`begin; alter table tlog_bundles disable trigger user; ${flip}; commit`)
  await expect(check()).rejects.toMatchObject({
    stderr: expect.stringContaining('the root of the checkpoint from its leaves'),
  })
  await own.sql(`begin; ${flip};
    alter table tlog_bundles enable always trigger tlog_bundles_grows;
    alter table tlog_bundles enable always trigger tlog_bundles_stays; commit`)
})

it('a score of 90 days follows from the leaves, and a wrong sum is found, proved, and corrected by another leaf', async () => {
  const operator = await own.newOperator()
  const { reg, id } = await own.newAgent(operator)
  const key = await tirelessKey(own, operator, ['read', 'activity:report'])
  for (let day = 89; day >= 1; day--) {
    const events = Array.from({ length: 3 }, (_, n) => ({
      reg,
      event_type: n === 2 && day % 7 === 0 ? 'task_failed' : 'task_completed',
      metadata: { quality: 0.9, response_ms: 900 },
    }))
    await own.reportBatch(key, events, new Date(Date.now() - day * DAY_MS))
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
  const days = await entriesOf(current, reg, '?kind=day&limit=100&cursor=')
  const revisions = days.map(({ leaf }) => JSON.parse(leaf)).filter(({ day }) => day === wrong)
  expect(revisions.map(({ rev }) => rev)).toEqual([1, 2])
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
