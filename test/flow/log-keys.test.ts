import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { openCheckpoint, parsePolicy } from '../../packages/verify/index.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { parseNote } from '../../src/transparency/note.ts'
import { type Body, expectError, ownStack } from '../support/harness.ts'
import { expectFinding, run } from '../support/log/story.ts'

const own = await ownStack()
afterAll(own.stop)

type Worker = Pick<Awaited<ReturnType<typeof own.variant>>, 'url' | 'api'>
const current: Worker = { url: own.base_url, api: own.api }
const kindsOf = ({ body }: Body) => body.data.map(({ leaf }: { leaf: string }) => JSON.parse(leaf).kind)

describe('a service without LOG_KEY', () => {
  const OFF = 'this registry has no transparency log'
  const PATHS = ['checkpoint', 'info.json', 'tile/0/000.p/1', 'tile/entries/000.p/1', 'proof/0', 'elsewhere']

  async function expectOff({ api, url }: Worker, reg: string): Promise<void> {
    for (const path of PATHS) {
      const response = await api('GET', `//log/${path}`)
      expectError(response, 404, 'NOT_FOUND', path === 'elsewhere' ? /./ : new RegExp(OFF))
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    expect((await api('GET', '//.well-known/jwks.json')).body.keys).toHaveLength(1)
    expect((await api('GET', `/verify/${reg}/token`)).status).toBe(200)
    expect(await run(url, reg, '--issuer', own.base_url)).toMatchObject({
      status: 2,
      out: expect.stringContaining('the registry has no transparency log'),
    })
  }

  /** Makes changes that add leaves if there is a log. */
  async function makeChanges({ api }: Worker, { reg, key, operator }: Body): Promise<void> {
    const report = (fields: object) =>
      api('POST', '/activity/report', { token: key, body: { reg, event_type: 'task_completed', ...fields } })
    expect((await report({})).status).toBe(201)
    const down = { event_type: 'incident', severity: 'error', metadata: { title: 'Down' } }
    expect((await report(down)).status).toBe(201)
    const renamed = { token: operator.token, body: { description: `since ${Math.random()}` } }
    expect((await api('PATCH', `/agents/${reg}`, renamed)).status).toBe(200)
  }

  it('has no log but is otherwise complete, and logs earlier changes when it is switched on', async () => {
    const off = await own.variant({ LOG_KEY: undefined })
    try {
      const reporter = await own.newReporter()
      const { reg, operator } = reporter
      const { key } = await own.newKey(operator, ['read'])
      await makeChanges(off, reporter)
      await runCron(off.url, new Date())
      await expectOff(off, reg)
      const { status, log } = (await off.api('GET', '//ready')).body
      expect([status, log]).toEqual(['ok', { size: 0, signed_size: 0, state: 'off' }])
      expect((await off.api('GET', `/agents/${reg}/log-entries`)).body).toEqual({
        data: [],
        next_cursor: null,
      })

      await own.cron()
      const entries = await own.api('GET', `/agents/${reg}/log-entries`)
      expect(kindsOf(entries).sort()).toEqual(['agent', 'agent', 'event', 'event', 'incident'])
      const state = join(own.dir, 'on.json')
      const verify = () => run(own.base_url, reg, '--key', key, '--state', state, '--all')
      expect(await verify()).toMatchObject({ status: 0, err: '' })

      const head = await own.sql('select size, root from tlog_heads')
      await makeChanges(off, reporter)
      await runCron(off.url, new Date())
      await expectOff(off, reg)
      expect(await own.sql('select size, root from tlog_heads')).toEqual(head)
      await own.cron()
      expect(kindsOf(await own.api('GET', `/agents/${reg}/log-entries`))).toHaveLength(9)
      expect(await verify()).toMatchObject({ status: 0, err: '' })
    } finally {
      await off.stop()
    }
  })
})

describe('a rotation of the log key', () => {
  const first = own.api('GET', '//log/info.json').then(({ body }): string => body.vkeys[0])
  let reporter: Awaited<ReturnType<typeof own.newReporter>>

  /** Reports an event and signs a head. */
  async function signNewHead({ url }: Worker): Promise<void> {
    await own.report(reporter.key, reporter.reg)
    await runCron(url, new Date())
  }

  /** Why clients with these keys reject the current head; null if they accept it. */
  async function rejectionOf({ api }: Worker, ...vkeys: string[]) {
    const policy = await parsePolicy([...vkeys.map((vkey) => `log ${vkey}`), 'quorum none'].join('\n'))
    return (await openCheckpoint((await api('GET', '//log/checkpoint')).text, policy)).reason
  }

  const signersOf = async ({ api }: Worker) =>
    parseNote((await api('GET', '//log/checkpoint')).text)?.signatures.map(({ name }) => name)
  const vkeysOf = async ({ api }: Worker) => (await api('GET', '//log/info.json')).body.vkeys
  const trustedBy = (state: string) => JSON.parse(readFileSync(state, 'utf8')).vkeys

  it('signs with both keys during the rotation, logs each step, and never breaks an old state file', async () => {
    reporter = await own.newReporter()
    const { reg } = reporter
    const [old, next] = [await first, await makeSignerKey('localhost/log')]
    const verify = (worker: Worker, ...args: string[]) =>
      run(worker.url, reg, '--issuer', own.base_url, ...args)
    const [faithful, absent, short] = ['faithful', 'absent', 'short'].map((name) =>
      join(own.dir, `${name}.json`),
    )
    const dir = mkdtempSync(join(own.dir, 'proofs-'))
    if (!faithful || !absent || !short) throw new Error('no files')

    await signNewHead(current)
    expect(await vkeysOf(current)).toEqual([old])
    for (const state of [faithful, absent, short])
      expect(await verify(current, '--state', state, '--all')).toMatchObject({ status: 0, err: '' })
    expect(await verify(current, '--save', dir)).toMatchObject({ status: 0, err: '' })

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
      expect(during).toMatchObject({ status: 0, err: '' })
      expect(during.out).toContain(`note: a key of the log was added: ${next.vkey}`)
      expect(trustedBy(faithful)).toEqual([old, next.vkey])
      expect(await verify(both, '--state', short)).toMatchObject({ status: 0, err: '' })
      expect(trustedBy(short)).toEqual([old])
      for (const vkey of [old, next.vkey])
        expect(await verify(both, '--vkey', vkey)).toMatchObject({ status: 0, err: '' })

      await signNewHead(alone)
      expect(await vkeysOf(alone)).toEqual([next.vkey])
      expect(await signersOf(alone)).toEqual(['localhost/log', 'witness.local/w1'])
      expect([await rejectionOf(alone, old), await rejectionOf(alone, next.vkey)]).toEqual(['unsigned', null])
      expect(await verify(alone, '--state', faithful)).toMatchObject({ status: 0, err: '' })
      const after = await verify(alone, '--state', faithful, '--all')
      expect(after).toMatchObject({ status: 0, err: '' })
      expect(after.out).toContain(`note: a key of the log was removed: ${old}`)
      expect(trustedBy(faithful)).toEqual([next.vkey])

      for (const state of [absent, short]) {
        expectFinding(await verify(alone, '--state', state), 'not signed by a trusted key of the log')
        const pinned = await verify(alone, '--state', state, '--vkey', next.vkey)
        expect(pinned).toMatchObject({ status: 0, err: '' })
        expect(pinned.out).toMatch(/state +ok +the \d+ leaves seen on \S+ are unchanged, \d+ more/)
        expect(await verify(alone, '--state', state)).toMatchObject({ status: 0, err: '' })
      }
      const proof = readdirSync(dir).find((file) => file.endsWith('.tlog-proof')) ?? ''
      expect(await run('--offline', join(dir, proof), '--vkey', old)).toMatchObject({ status: 0 })
    } finally {
      await Promise.all([both.stop(), alone.stop()])
    }

    await signNewHead(current)
    const back = await run(own.base_url, '--all', '--state', faithful, '--vkey', old)
    expect(back).toMatchObject({ status: 0, err: '' })
    expect(trustedBy(faithful)).toEqual([old])
    const reported = / a key of the log was (\w+): (\S+)/
    const moves = back.out.split('\n').flatMap((line) => reported.exec(line)?.slice(1).join(' ') ?? [])
    expect(moves.slice(0, 3)).toEqual([`added ${old}`, `added ${next.vkey}`, `removed ${old}`])
    expect(moves.slice(3).sort()).toEqual([`added ${old}`, `removed ${next.vkey}`]) // both in one batch, in any order
  })
})
