import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Cli, jsonOf, newCli } from '../support/cli.ts'
import { eventually } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { NOON } from '../support/quotas.ts'
import { linesOf, reportWithKills, storedOf } from '../support/report-file.ts'
import { tokenParts } from '../support/verification-token.ts'

const h = shared()
const FILE = 'events.ndjson'

/** An operator with an agent, and its command line with a key for reports. */
async function reporter(options: Parameters<typeof newCli>[1] = {}, now?: Date) {
  const made = await h.newReporter(now ? { now } : {})
  const cli = await newCli(h.base_url, options)
  const file = join(cli.dir, FILE)
  const env = { AGENTREG_API_KEY: made.key }
  return {
    ...made,
    cli,
    file,
    /** Runs `report` on the file. */
    report: (...args: string[]) => cli.runWith({ env }, 'report', '-f', FILE, ...args),
    start: (...args: string[]) => cli.start(['report', '-f', FILE, ...args], { env }),
    reportInput: (input: string) => cli.runWith({ env, input }, 'report', '-f', '-', '--json'),
    lines: (count: number, first?: number) => linesOf([made.reg], count, first),
    stored: async () => (await storedOf(h, [made.reg])).events,
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  }
}

const stateOf = ({ dir }: Cli) => JSON.parse(readFileSync(join(dir, `${FILE}.state`), 'utf8'))

describe('a report of a file', () => {
  it('stores each of 5,000 events of ten agents once, although killed twice before a response', async () => {
    const { regs, last, batches } = await reportWithKills(h, { events: 5_000, kills: [2, 4] })
    expect(last).toMatchObject({ status: 0, err: '' })
    expect(jsonOf(last)).toMatchObject({ lines: 5_000, rejected: 0, is_complete: true })
    expect(await storedOf(h, regs)).toEqual({ events: 5_000, numbers: 5_000, agents: 10 })
    expect(batches).toBe(7) // five, and two whose response was lost
  })

  it('continues with the lines that were appended, and skips an incomplete last line', async () => {
    await using fixture = await reporter()
    const { file, report, lines, stored } = fixture
    const half = lines(1, 8).slice(0, 30)
    writeFileSync(file, lines(5) + half)
    const first = await report()
    expect(first).toMatchObject({ status: 0, out: '5 events stored, 0 lines not stored.\n' })
    expect(first.err).toContain('Line 6 is incomplete')
    appendFileSync(file, lines(1, 8).slice(30) + lines(3, 9).trimEnd())
    expect(await report()).toMatchObject({
      status: 0,
      err: '',
      out: '4 events stored, 5 events before, 0 lines not stored.\n',
    })
    appendFileSync(file, '\n\n')
    expect((await report()).out).toBe('0 events stored, 9 events before, 0 lines not stored.\n')
    expect(await stored()).toBe(9)
  })

  it('stores nothing twice on the same day if its state file is lost, and says so', async () => {
    await using fixture = await reporter()
    const { cli, file, report, lines, stored } = fixture
    writeFileSync(file, lines(3))
    expect((await report()).status).toBe(0)
    rmSync(join(cli.dir, `${FILE}.state`))
    const again = await report()
    expect(again).toMatchObject({
      status: 0,
      err: expect.stringContaining('All events were already stored.'),
    })
    rmSync(join(cli.dir, `${FILE}.state`))
    expect(await stored()).toBe(3)
    expect(await report('--run', 'second')).toMatchObject({ status: 0, err: '' })
    expect(await stored()).toBe(6)
  })

  it('prints rejected lines and warnings with their reasons, and stores the others with a receipt', async () => {
    await using fixture = await reporter()
    const { cli, file, reg, report, lines, stored } = fixture
    const bad = [
      'not JSON',
      '[1]',
      JSON.stringify({ reg, event_type: '' }),
      JSON.stringify({ reg: 'REG-1', event_type: 'x' }),
      `{"reg":"${reg}","event_type":"x","metadata":{"n":1e400}}`,
    ]
    const odd = JSON.stringify({ reg, event_type: 'Task_Completed' })
    writeFileSync(file, `${lines(2)}\n${bad.join('\r\n')}\r\n${odd}\n`)
    const ran = await report('--rejected', 'rejected.ndjson', '--receipts')
    expect(ran).toMatchObject({ status: 1, out: '3 events stored, 5 lines not stored.\n' })
    const printed = ran.err
      .split('\n')
      .filter((line) => line.startsWith('line '))
      .sort()
    expect(printed).toEqual([
      'line 4: not stored: is not JSON',
      'line 5: not stored: must be a JSON object, {"reg": …, "event_type": …}',
      expect.stringMatching(/^line 6: not stored: event_type: /),
      expect.stringMatching(/^line 7: not stored: reg: /),
      expect.stringMatching(/^line 8: not stored: metadata\.n: /),
      expect.stringMatching(/^line 9: warning: event_type: /),
    ])
    expect(readFileSync(join(cli.dir, 'rejected.ndjson'), 'utf8')).toBe(`${bad.join('\n')}\n`)
    const { claims } = tokenParts(readFileSync(`${file}.receipts`, 'utf8').trim())
    expect(claims).toMatchObject({ reg: [reg], seq: [[1, 3]] })
    expect(await stored()).toBe(3)
    const again = await report()
    expect(again).toMatchObject({
      status: 0,
      out: expect.stringContaining('0 lines not stored, 5 lines before'),
    })
  })

  it('rejects a file whose reported lines have changed, or that was reported to another registry', async () => {
    await using fixture = await reporter()
    const { cli, file, report, lines, stored } = fixture
    writeFileSync(file, lines(3))
    await report()
    writeFileSync(file, lines(3).replace('"n":2', '"n":7'))
    const changed = await report()
    expect(changed).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('has changed within its first 3'),
    })
    writeFileSync(file, lines(2))
    expect(await report()).toMatchObject({ status: 2, err: expect.stringContaining('has changed') })
    const state = stateOf(cli)
    writeFileSync(`${file}.state`, JSON.stringify({ ...state, base_url: 'https://other.example' }))
    const other = await report()
    expect(other).toMatchObject({
      status: 2,
      err: expect.stringContaining('were reported to https://other.example'),
    })
    writeFileSync(`${file}.state`, 'nonsense')
    expect(await report()).toMatchObject({
      status: 2,
      err: expect.stringContaining('is not a state file of a report'),
    })
    expect(await stored()).toBe(3)
  })

  it('asks what to do with unconfirmed lines that are too old to be sent again safely', async () => {
    await using fixture = await reporter()
    const { cli, file, report, lines, stored } = fixture
    writeFileSync(file, lines(2))
    await report()
    const state = stateOf(cli)
    appendFileSync(file, lines(2, 3))
    await report()
    const { done } = stateOf(cli)
    const pending = { sent_at: new Date(Date.now() - 25 * 3_600_000).toISOString(), end: done }
    const lost = JSON.stringify({ ...state, pending })
    writeFileSync(`${file}.state`, lost)
    const rejected = await report()
    expect(rejected).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('lines 3 to 4 were sent at'),
    })
    expect(rejected.err).toContain('--unconfirmed skip')
    expect((await report('--unconfirmed', 'skip')).status).toBe(0)
    expect(stateOf(cli)).toMatchObject({ pending: null, done: { line: 4 } })
    expect(await stored()).toBe(4)
  })

  it('stops at the daily quota, and stores the held events once the quota allows it', async () => {
    await using fixture = await reporter({ headers: { 'X-Test-Now': NOON.toISOString() } }, NOON)
    const { key, reg, cli, file, lines, report, stored } = fixture
    await h.report(key, reg, {}, NOON)
    const left = (own_events: number) =>
      h.sql(`update agent_stats s set own_events = $2 from agents a where a.id = s.agent_id and a.reg = $1`, [
        reg,
        own_events,
      ])
    await left(19_998)
    writeFileSync(file, lines(3))
    const held = await report()
    expect(held).toMatchObject({
      status: 2,
      err: expect.stringContaining('3 events exceed the quota of your tier'),
    })
    expect(stateOf(cli).held).toHaveLength(3)
    await left(1)
    appendFileSync(file, lines(1, 4))
    const next = await report()
    expect(next).toMatchObject({ status: 0, out: '4 events stored, 0 lines not stored.\n' })
    expect(stateOf(cli)).toMatchObject({ held: [], stored: 4 })
    expect(await stored()).toBe(5)
  })

  it('rejects a second run at the same time, and continues after a run that was killed', async () => {
    let isHeld = true
    let release = () => {}
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined)
    })
    await using fixture = await reporter({ onRequest: () => (isHeld ? released : undefined) })
    const { file, report, start, lines, stored } = fixture
    writeFileSync(file, lines(3))
    const first = start()
    await eventually(async () => existsSync(`${file}.state`), Boolean)
    const second = await report()
    expect(second).toMatchObject({
      status: 2,
      err: expect.stringContaining(`by another run, process ${first.pid}`),
    })
    first.kill('SIGKILL')
    await first.ended
    isHeld = false
    release()
    expect(await report()).toMatchObject({ status: 0 })
    expect(await stored()).toBe(3)
  })

  it('waits as long as Retry-After says, and continues', async () => {
    const early = [{ status: 429, headers: { 'Retry-After': '1' } }, { status: 503 }]
    await using fixture = await reporter({ onRequest: () => early.shift() })
    const { file, report, lines, stored } = fixture
    writeFileSync(file, lines(3))
    const ran = await report()
    expect(ran).toMatchObject({ status: 0, err: expect.stringContaining('continuing in 1 s') })
    expect(await stored()).toBe(3)
  })

  it('accepts standard input, for which it writes no state file', async () => {
    await using fixture = await reporter()
    const { cli, reportInput, lines, stored } = fixture
    expect(jsonOf(await reportInput(lines(4)))).toMatchObject({ file: '-', lines: 4, stored: 4 })
    expect(jsonOf(await reportInput(lines(4)))).toMatchObject({ stored: 0, stored_before: 4 })
    expect(existsSync(join(cli.dir, '-.state'))).toBe(false)
    expect(await stored()).toBe(4)
    const array = await reportInput(JSON.stringify([{ reg: fixture.reg }], null, 1))
    expect(jsonOf(array).errors[0]).toMatchObject({ line: 1, message: expect.stringContaining('jq -c') })
  })

  it('names what is missing: a key, or its permission activity:report', async () => {
    await using fixture = await reporter()
    const { cli, operator, file, lines } = fixture
    writeFileSync(file, lines(1))
    const none = await cli.run('report', '-f', FILE)
    expect(none).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('agentreg keys create reporter'),
    })
    const reader = await h.newKey(operator, ['read'])
    const env = { AGENTREG_API_KEY: reader.key }
    const forbidden = await cli.runWith({ env }, 'report', '-f', FILE)
    expect(forbidden).toMatchObject({ status: 1, out: '', err: expect.stringContaining('activity:report') })
  })
})
