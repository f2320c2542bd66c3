import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectRefused, jsonOf, newCli, type Started } from '../support/cli.ts'
import { NOON } from '../support/day.ts'
import { eventually } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { tokenParts } from '../support/verification-token.ts'

const h = shared()
const FILE = 'events.ndjson'
const REPORT = ['report', '-f', FILE]
const BATCH = '/api/v1/activity/report/batch'

/** Lines of a file, each an event with a unique number in its metadata. */
const linesOf = (regs: readonly string[], count: number, first = 1) =>
  Array.from({ length: count }, (_, at) => {
    const reg = regs[at % regs.length]
    return `${JSON.stringify({ reg, event_type: 'task_completed', metadata: { n: first + at } })}\n`
  }).join('')

/** How many events are stored, and of how many different numbers and agents. */
async function storedOf(regs: readonly string[]) {
  const [found] = await h.sql(
    `select count(*)::integer as events, count(distinct metadata ->> 'n')::integer as numbers,
       count(distinct agent_id)::integer as agents
     from activity_events e join agents a on a.id = e.agent_id where a.reg = any ($1)`,
    [regs],
  )
  return found
}

/** An operator with an agent, and its command line with a key for reports. */
async function reporter(options: Parameters<typeof newCli>[1] = {}, now?: Date) {
  const made = await h.newReporter(now ? { now } : {})
  const cli = await newCli(h.base_url, options)
  const file = join(cli.dir, FILE)
  const state = `${file}.state`
  const env = { AGENTREG_API_KEY: made.key }
  const run = (...words: string[]) => cli.runWith({ env }, ...words)
  return {
    ...made,
    cli,
    file,
    state,
    /** Runs `report` on the file. */
    report: (...args: string[]) => run(...REPORT, ...args),
    start: () => cli.start(REPORT, { env }),
    reportInput: (input: string) => cli.runWith({ env, input }, 'report', '-f', '-', '--json'),
    lines: (count: number, first?: number) => linesOf([made.reg], count, first),
    readState: () => JSON.parse(readFileSync(state, 'utf8')),
    expectStored: async (count: number) => expect((await storedOf([made.reg])).events).toBe(count),
    expectStopped: (err: RegExp) => expectRefused(run, 2, [[REPORT.join(' '), err]]),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  }
}

describe('a report of a file', () => {
  it('stores each of 3,000 events of ten agents once, although killed twice before a response', async () => {
    const operator = await h.newOperator({ tier: 'pro' })
    const { key } = await h.newKey(operator)
    const agents = await Promise.all(Array.from({ length: 10 }, () => h.newAgent(operator)))
    const regs = agents.map(({ reg }) => reg)
    let batches = 0
    let running: Started | undefined
    await using cli = await newCli(h.base_url, {
      tamper: (path) => {
        if (path === BATCH && [1, 3].includes(++batches)) running?.kill('SIGKILL')
        return undefined
      },
    })
    writeFileSync(join(cli.dir, FILE), linesOf(regs, 3_000))
    const run = () => {
      running = cli.start([...REPORT, '--json'], { env: { AGENTREG_API_KEY: key } })
      return running.ended
    }
    for (const _ of [1, 2]) expect(await run()).toMatchObject({ status: null, out: '' })
    const last = await run()
    expect(jsonOf(last)).toMatchObject({ lines: 3_000, rejected: 0, is_complete: true })
    expect(await storedOf(regs)).toEqual({ events: 3_000, numbers: 3_000, agents: 10 })
    expect(batches).toBe(5) // three, and two whose response was lost
  })

  it('continues with the lines that were appended, stores nothing twice, and stops if earlier lines changed', async () => {
    await using fixture = await reporter()
    const { file, state, report, lines, readState, expectStored, expectStopped } = fixture
    const half = lines(1, 8).slice(0, 30)
    writeFileSync(file, lines(5) + half)
    const first = await report()
    expect(first).toMatchObject({ status: 0, out: '5 events stored, 0 lines not stored.\n' })
    expect(first.err).toContain('Line 6 is incomplete')
    rmSync(state)
    const again = await report()
    expect(again).toMatchObject({
      status: 0,
      err: expect.stringContaining('All events were already stored.'),
    })
    const whole = lines(5) + lines(1, 8) + lines(3, 9)
    writeFileSync(file, `${whole}\n`)
    expect(await report()).toMatchObject({
      status: 0,
      err: '',
      out: '4 events stored, 5 events before, 0 lines not stored.\n',
    })
    await expectStored(9)

    for (const changed of [whole.replace('"n":2', '"n":7'), lines(5)]) {
      writeFileSync(file, changed)
      await expectStopped(/has changed within its first 1/)
    }
    const kept = JSON.stringify({ ...readState(), base_url: 'https://other.example' })
    writeFileSync(state, kept)
    await expectStopped(/were reported to https:\/\/other\.example/)
    writeFileSync(state, 'nonsense')
    await expectStopped(/is not a state file of a report/)
    await expectStored(9)
    writeFileSync(file, lines(5))
    rmSync(state)
    expect(await report('--run', 'second')).toMatchObject({ status: 0, err: '' })
    await expectStored(14)
  })

  it('prints rejected lines and warnings with their reasons, and stores the others with a receipt', async () => {
    await using fixture = await reporter()
    const { cli, file, reg, report, lines, expectStored } = fixture
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
    for (const reason of [
      /^line 4: not stored: is not JSON$/m,
      /^line 5: not stored: must be a JSON object/m,
      /^line 6: not stored: event_type: /m,
      /^line 7: not stored: reg: /m,
      /^line 8: not stored: metadata\.n: /m,
      /^line 9: warning: event_type: /m,
    ])
      expect(ran.err).toMatch(reason)
    expect(readFileSync(join(cli.dir, 'rejected.ndjson'), 'utf8')).toBe(`${bad.join('\n')}\n`)
    const { claims } = tokenParts(readFileSync(`${file}.receipts`, 'utf8').trim())
    expect(claims).toMatchObject({ reg: [reg], seq: [[1, 3]] })
    await expectStored(3)
    expect((await report()).out).toContain('0 lines not stored, 5 lines before')
  })

  it('asks what to do with unconfirmed lines that are too old to be sent again safely', async () => {
    await using fixture = await reporter()
    const { file, state, report, lines, readState, expectStored, expectStopped } = fixture
    writeFileSync(file, lines(2))
    await report()
    const early = readState()
    appendFileSync(file, lines(2, 3))
    await report()
    const { done: end } = readState()
    const sent_at = new Date(Date.now() - 25 * 3_600_000).toISOString()
    writeFileSync(state, JSON.stringify({ ...early, pending: { sent_at, end } }))
    await expectStopped(/lines 3 to 4 were sent at.*--unconfirmed skip/s)
    expect((await report('--unconfirmed', 'skip')).status).toBe(0)
    expect(readState()).toMatchObject({ pending: null, done: { line: 4 } })
    await expectStored(4)
  })

  it('stops at the daily quota, and stores the held events once the quota allows it', async () => {
    await using fixture = await reporter({ headers: { 'X-Test-Now': NOON.toISOString() } }, NOON)
    const { key, reg, file, lines, report, readState, expectStored } = fixture
    await h.report(key, reg, {}, NOON)
    const take = (own_events: number) =>
      h.sql(`update agent_stats s set own_events = $2 from agents a where a.id = s.agent_id and a.reg = $1`, [
        reg,
        own_events,
      ])
    await take(19_998)
    writeFileSync(file, lines(3))
    expect(await report()).toMatchObject({
      status: 2,
      err: expect.stringContaining('3 events exceed the quota of your tier'),
    })
    expect(readState().held).toHaveLength(3)
    await take(1)
    appendFileSync(file, lines(1, 4))
    expect(await report()).toMatchObject({ status: 0, out: '4 events stored, 0 lines not stored.\n' })
    expect(readState()).toMatchObject({ held: [], stored: 4 })
    await expectStored(5)
  })

  it('rejects a second run at the same time, and continues after a run that was killed', async () => {
    let isHeld = true
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    await using fixture = await reporter({ onRequest: () => (isHeld ? released : undefined) })
    const { file, state, report, start, lines, expectStored, expectStopped } = fixture
    writeFileSync(file, lines(3))
    const first = start()
    await eventually(async () => existsSync(state), Boolean)
    await expectStopped(new RegExp(`by another run, process ${first.pid}`))
    first.kill('SIGKILL')
    await first.ended
    isHeld = false
    release(undefined)
    expect(await report()).toMatchObject({ status: 0 })
    await expectStored(3)
  })

  it('waits as long as Retry-After says, and continues', async () => {
    const early = [{ status: 429, headers: { 'Retry-After': '1' } }, { status: 503 }]
    await using fixture = await reporter({ onRequest: () => early.shift() })
    writeFileSync(fixture.file, fixture.lines(3))
    const ran = await fixture.report()
    expect(ran).toMatchObject({ status: 0, err: expect.stringContaining('continuing in 1 s') })
    await fixture.expectStored(3)
  })

  it('accepts standard input, for which it writes no state file', async () => {
    await using fixture = await reporter()
    const { cli, reportInput, lines, expectStored } = fixture
    expect(jsonOf(await reportInput(lines(4)))).toMatchObject({ file: '-', lines: 4, stored: 4 })
    expect(jsonOf(await reportInput(lines(4)))).toMatchObject({ stored: 0, stored_before: 4 })
    expect(existsSync(join(cli.dir, '-.state'))).toBe(false)
    await expectStored(4)
    const array = await reportInput(JSON.stringify([{ reg: fixture.reg }], null, 1))
    expect(jsonOf(array).errors[0]).toMatchObject({ line: 1, message: expect.stringContaining('jq -c') })
  })

  it('names what is missing: a key, or its permission activity:report', async () => {
    await using fixture = await reporter()
    const { cli, operator, file, lines } = fixture
    writeFileSync(file, lines(1))
    const command = REPORT.join(' ')
    await expectRefused(cli.run, 2, [[command, /agentreg keys create reporter/]])
    const env = { AGENTREG_API_KEY: (await h.newKey(operator, ['read'])).key }
    const read = (...words: string[]) => cli.runWith({ env }, ...words)
    await expectRefused(read, 1, [[command, /activity:report/]])
  })
})
