import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { growingTree } from '../../packages/verify/growing-tree.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { hashLeaf } from '../../src/transparency/merkle.ts'
import { parseBundle } from '../../src/transparency/tiles.ts'
import { type Body, ownStack } from '../support/harness.ts'
import { type Point, startSequencer } from '../support/log/sequencer.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { checkLog } from '../support/log-check.ts'
import { withClient } from '../support/migrate.ts'
import { askRedis } from '../support/redis.ts'
import { timeTravel } from '../support/set-back.ts'

// The job is interrupted at each of its steps, or a service is down: the next run continues from there.

const AFTER_MIDNIGHT_MS = 11 * 60_000
const HEAD = 'tlog:head:localhost/log'
const BEGUN = new Date() // so that all runs are on one UTC day

const own = await ownStack()
const job = await startSequencer(own)
let reg: string
let key: string
let readKey: string

beforeAll(async () => {
  const reporter = await own.newReporter()
  ;({ reg, key } = reporter)
  readKey = (await own.newKey(reporter.operator, ['read'])).key
  expect(await job.run(BEGUN)).toBe(true)
})
afterAll(async () => {
  await job.stop()
  await own.stop()
})

const report = async (now?: Date) => own.report(key, reg, {}, now)

async function stateOf(): Promise<Body> {
  const [row] = await own.sql(
    `select size::integer, paused, (select count(*)::integer from tlog_heads) as heads,
       (select count(*)::integer from activity_events) as events,
       (select sum(logged_events)::integer from agent_stats) as logged from tlog_state`,
  )
  return row
}

/** Expects that everything recorded is logged once, under a head that is stored in Redis. */
async function expectCaughtUp(): Promise<void> {
  const { size, events, logged, paused } = await stateOf()
  expect({ logged, paused }).toEqual({ logged: events, paused: null })
  const head = await job.head()
  expect(head.size).toBe(size)
  expect(await askRedis(own, 'GET', HEAD)).toBe(`${size} ${head.root}`)
  const { problems } = await withClient(own.database_url, checkLog)
  expect(problems).toEqual([])
}

const POINTS: Point[] = (
  [
    ['neon', 'tlog_append_facts'],
    ['neon', 'tlog_append_events'],
    ['neon', 'tlog_differing'],
    ['neon', 'join tlog_tiles'],
    ['redis', '"get","tlog:head'],
    ['redis', '"eval"'],
    ['witness', 'old '],
    ['neon', 'as h (day, size, root'],
  ] as const
).flatMap(([part, text]) => (['before', 'after'] as const).map((when) => ({ part, text, when })))

it.each(POINTS)('continues with one head after a crash $when $text', async (point) => {
  const before = await stateOf()
  await Promise.all([report(), report()])
  expect(await job.dieAt(point, BEGUN)).toBe(true)
  expect(await job.run(BEGUN)).toBe(true)
  await expectCaughtUp()
  expect(await stateOf()).toMatchObject({ size: before.size + 2, heads: before.heads })
})

it('shows a leaf only after a head that covers it is stored', async () => {
  const { size } = await job.head()
  const listed = async () => (await job.api('GET', `/agents/${reg}/log-entries?limit=100`)).body.data.length
  const before = await listed()
  const width = (size % 256) + 1 // of the last tile with one more leaf
  const place = `${String(Math.floor(size / 256)).padStart(3, '0')}${width < 256 ? `.p/${width}` : ''}`
  const paths = [`proof/${size}`, `tile/0/${place}`, `tile/entries/${place}`]
  const statuses = () =>
    Promise.all(paths.map(async (path) => (await job.api('GET', `//log/${path}`)).status))
  await report()
  expect(await job.dieAt({ part: 'neon', text: 'as h (day, size', when: 'before' }, BEGUN)).toBe(true)
  expect((await stateOf()).size).toBe(size + 1)
  expect([await statuses(), await listed(), (await job.head()).size]).toEqual([[404, 404, 404], before, size])
  expect((await job.api('GET', '//log/info.json')).body.size).toBe(size)
  expect(await job.run(BEGUN)).toBe(true)
  expect([await statuses(), await listed()]).toEqual([[200, 200, 200], before + 1])
})

it('shows the leaves of a platform only after a head that covers them is stored', async () => {
  const { slug } = await own.newPlatform(await own.newOperator())
  const listed = async () => (await job.api('GET', `/platforms/${slug}/log-entries`)).body.data.length
  expect(await job.dieAt({ part: 'neon', text: 'as h (day, size', when: 'before' }, BEGUN)).toBe(true)
  expect(await listed()).toBe(0)
  expect(await job.run(BEGUN)).toBe(true)
  expect(await listed()).toBe(1)
})

it('appends and signs nothing while Redis is down, accepts reports, and catches up', async () => {
  const [before, head] = [await stateOf(), await job.head()]
  job.redis.set({ mode: 'cut' })
  const { status } = await job.api('POST', '/activity/report', {
    token: key,
    body: { reg, event_type: 'task_completed' },
  })
  expect(status).toBe(201)
  expect((await job.api('GET', '//ready')).body).toMatchObject({ status: 'degraded', redis: 'down' })
  expect(await job.run()).toBe(false)
  expect([await stateOf(), await job.head()]).toEqual([{ ...before, events: before.events + 1 }, head])
  job.redis.heal()
  expect(await job.run()).toBe(true)
  await expectCaughtUp()
})

it('logs once that Redis has lost the head, and continues with the same tree', async () => {
  const warned = job.logged('tlog_head_unknown').length
  const head = await job.head()
  await askRedis(own, 'DEL', HEAD)
  expect(await job.run()).toBe(true)
  expect(await job.run()).toBe(true)
  expect(await job.head()).toEqual(head)
  await report()
  expect(await job.run()).toBe(true)
  await expectCaughtUp()
  expect(job.logged('tlog_head_unknown')).toHaveLength(warned + 1)
})

it('uses the head of another job that was faster to ask the witness when Redis had lost the head', async () => {
  await report()
  await askRedis(own, 'DEL', HEAD)
  const { promise: asked, resolve: arrive } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  job.witness.set({
    before: () => {
      arrive()
      return released
    },
  })
  const late = job.run()
  await asked
  await own.cron()
  release(undefined)
  expect(await late).toBe(true)
  job.witness.heal()
  await expectCaughtUp()
})

it('uses its own head when Redis has an older one', async () => {
  const old = await askRedis(own, 'GET', HEAD)
  await report()
  expect(await job.run()).toBe(true)
  await askRedis(own, 'SET', HEAD, String(old))
  expect(await job.run()).toBe(true)
  await expectCaughtUp()
})

it('keeps the cosignature of a head when the witness does not respond later', async () => {
  const head = await job.head()
  job.witness.set({ mode: 'cut' })
  expect(await job.run(new Date(Date.now() + 11 * 60_000))).toBe(true)
  job.witness.heal()
  expect(await job.head()).toEqual(head)
})

it('loses no head after a clock was a day ahead, and logs the day again', async () => {
  const state = join(own.dir, 'seen.json')
  const verify = () => run(own.base_url, reg, '--key', readKey, '--state', state, '--all')
  expect(await verify()).toMatchObject({ status: 0, err: '' })
  const today = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)
  const ahead = new Date(today.getTime() + DAY_MS + AFTER_MIDNIGHT_MS)
  const minute = (n: number) => new Date(ahead.getTime() + n * 60_000)
  const daysOf = async (): Promise<Body[]> =>
    own.sql(
      `select f.rev, convert_from(l.leaf, 'UTF8')::json as leaf,
         convert_from(l.leaf, 'UTF8') = tlog_day_leaf(a.id, a.reg, $2::date, f.rev) as is_now
       from agents a join tlog_facts f on f.kind = 'day' and f.subject = a.id || ' ' || $2::date
       join tlog_leaves(f.index / 256) l on l.index = f.index where a.reg = $1 order by f.rev`,
      [reg, today.toISOString().slice(0, 10)],
    )
  for (const n of [0, 1]) expect(await job.run(minute(n))).toBe(true)
  await expectCaughtUp()
  const early = await daysOf()
  expect(early).toMatchObject([{ rev: 1, is_now: true }])

  await report()
  const heads = (await stateOf()).heads
  expect(await job.run()).toBe(true)
  await expectCaughtUp()
  const meanwhile = await verify()
  expect(meanwhile.status === 0 ? '' : meanwhile.out).toBe('')
  expect(meanwhile.out).toContain('was logged before its end: its rows are checked after it has ended')
  for (const n of [2, 3]) expect(await job.run(minute(n))).toBe(true)
  await expectCaughtUp()
  const days = await daysOf()
  expect(days).toMatchObject([{ rev: 1 }, { rev: 2, is_now: true }])
  expect(days[1].leaf.seq).toBe(early[0].leaf.seq + 1)
  expect((await stateOf()).heads).toBe(heads)
  const { status, out } = await verify()
  expect(status === 0 ? '' : out).toBe('')
  expect(out).toContain(`note: day ${today.toISOString().slice(0, 10)} was corrected: revision 2 counts`)
})

it('stops after a tile was changed by hand, and continues after it is restored', async () => {
  const flip = () =>
    own.sql(`begin; alter table tlog_tiles disable trigger user;
      update tlog_tiles set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))
        where level = 0 and n = (select max(n) from tlog_tiles where level = 0);
      alter table tlog_tiles enable always trigger tlog_tiles_grows;
      alter table tlog_tiles enable always trigger tlog_tiles_stays; commit`)
  const head = await job.head()
  await flip()
  expectFinding(await run(own.base_url, reg), 'the tiles do not result in the signed root')
  await report()
  expect(await job.run()).toBe(false)
  expect(job.logged('tlog_forked')).toHaveLength(1)
  expect((await stateOf()).paused).toBe('fork')
  expect(await job.run()).toBe(false)
  expect(await job.head()).toEqual(head)

  await flip()
  await own.sql('update tlog_state set paused = null')
  expect(await job.run()).toBe(true)
  await expectCaughtUp()
})

/** The heads that a database has signed, and the roots of all sizes of its tree, in the format of Redis. */
const headsOf = (url: string) =>
  withClient(url, async (client) => {
    const heads = await client.query<{ head: string }>(
      `select size || ' ' || encode(root, 'base64') as head from tlog_heads order by size`,
    )
    const bundles = await client.query<{ entries: Buffer }>('select entries from tlog_bundles order by n')
    const tree = growingTree()
    const roots: string[] = []
    for (const leaf of bundles.rows.flatMap(({ entries }) => parseBundle(Uint8Array.from(entries)) ?? [])) {
      await tree.append(await hashLeaf(leaf))
      roots.push(`${roots.length + 1} ${Buffer.from(await tree.root()).toString('base64')}`)
    }
    return { signed: heads.rows.map(({ head }) => head), roots: new Set(roots) }
  })

// The damaged database, whose Worker still runs, and one restored from a backup continue from the same head.
it('signs only one tree, also when another Worker has read the same head and has more leaves', async () => {
  expect(await job.run()).toBe(true)
  await timeTravel(own.database_url).keepState()
  const branch = await startSequencer(own, 'kept')
  const branchUrl = Object.assign(new URL(own.database_url), { pathname: '/kept' }).href
  const inRedis: string[] = []
  for (const one of [job, branch])
    one.redis.set({
      after: async ({ body }) => {
        if (body.includes(HEAD)) inRedis.push(String(await askRedis(own, 'GET', HEAD)))
        return undefined
      },
    })
  const add = async ({ api }: typeof job, count: number) => {
    const events = Array.from({ length: count }, () => ({ reg, event_type: 'task_completed' }))
    const { status } = await api('POST', '/activity/report/batch', { token: key, body: { events } })
    expect(status).toBe(201)
  }

  await Promise.all([add(job, 2), add(branch, 5)])
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  branch.hold(({ body }) => {
    if (!body.includes('"eval"') || !body.includes(HEAD)) return undefined
    reach()
    return released.then(() => undefined)
  })
  const late = branch.run()
  await reached
  expect(await job.run()).toBe(true)
  release()
  expect(await late).toBe(false)
  expect(branch.logged('tlog_forked')).toHaveLength(1)
  branch.hold(null)

  for (const _ of [1, 2, 3]) {
    await Promise.all([add(job, 2), add(branch, 3)])
    await Promise.all([job.run(), branch.run()])
  }
  const [mine, others] = await Promise.all([headsOf(own.database_url), headsOf(branchUrl)])
  const unknown = [...inRedis, ...mine.signed, ...others.signed].filter((head) => !mine.roots.has(head))
  expect(unknown).toEqual([])
  expect(inRedis.at(-1)).toBe(mine.signed.at(-1))
  expect(new Set(inRedis).size).toBeGreaterThan(3)
  await branch.stop()
})
