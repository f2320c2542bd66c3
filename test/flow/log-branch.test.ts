import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { growingTree, hashLeaf } from '../../src/transparency/merkle.ts'
import { parseBundle } from '../../src/transparency/tiles.ts'
import { ownStack } from '../support/harness.ts'
import { askRedis, startSequencer } from '../support/log/sequencer.ts'
import { timeTravel } from '../support/set-back.ts'

// Two databases continue from the same head: the damaged one, whose Worker still runs, and one restored from a backup.

const ROUNDS = 3
const HEAD = 'tlog:head:localhost/log'

const own = await ownStack()
const { keepState } = timeTravel(own.database_url)
const here = await startSequencer(own)
const { reg, key } = await own.newReporter()
await here.run()
await keepState()
const branch = await startSequencer(own, 'kept')
const branchUrl = Object.assign(new URL(own.database_url), { pathname: '/kept' }).href
const inRedis: string[] = []

beforeAll(() => {
  for (const job of [here, branch]) {
    job.redis.set({
      after: async ({ body }) => {
        if (body.includes(HEAD)) inRedis.push(String(await askRedis(own, 'GET', HEAD)))
        return undefined
      },
    })
  }
})
afterAll(async () => {
  await Promise.all([here.stop(), branch.stop()])
  await own.stop()
})

async function report({ api }: typeof here, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({ reg, event_type: 'task_completed' }))
  const { status } = await api('POST', '/activity/report/batch', { token: key, body: { events } })
  expect(status).toBe(201)
}

/** The heads that a database has signed, and the roots of all sizes of its tree, in the format of Redis. */
async function headsOf(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
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
  } finally {
    await client.end()
  }
}

it('signs only one tree, also when another Worker has read the same head and has more leaves', async () => {
  await Promise.all([report(here, 2), report(branch, 5)])
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  branch.hold(({ body }) => {
    if (!body.includes('"eval"') || !body.includes(HEAD)) return undefined
    reach()
    return released.then(() => undefined)
  })
  const late = branch.run()
  await reached
  expect(await here.run()).toBe(true)
  release()
  expect(await late).toBe(false)
  expect(branch.logged('tlog_forked')).toHaveLength(1)
  branch.hold(null)

  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all([report(here, 2), report(branch, 3)])
    await Promise.all([here.run(), branch.run()])
  }
  const [mine, others] = await Promise.all([headsOf(own.database_url), headsOf(branchUrl)])
  const unknown = [...inRedis, ...mine.signed, ...others.signed].filter((head) => !mine.roots.has(head))
  expect(unknown).toEqual([])
  expect(inRedis.at(-1)).toBe(mine.signed.at(-1))
  expect(new Set(inRedis).size).toBeGreaterThan(ROUNDS)
})
