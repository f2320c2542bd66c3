import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { z } from 'zod'
import { signIn } from '../../local/sign-in.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { toCursor } from '../../src/activity/cursor.ts'
import { activityQuery } from '../../src/activity/list-query.ts'
import { listActivity } from '../../src/activity/list-store.ts'
import type { Db } from '../../src/db/client.ts'
import type { Actor } from '../../src/http/context.ts'
import { findInputs } from '../../src/trust/store.ts'
import { startTestStack } from '../support/stack.ts'
import { fillLog } from './log-fill.ts'

const EVENTS = Number(process.env.EVENTS ?? 10_000_000)
const ROUNDS = 40
const SCORE_ROUNDS = 300
const MOST = 1.2
const TABLE = 'activity_events'

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const middle = () => toCursor(Math.round(EVENTS / 20))

// A page of 50 events that lie far apart, and the way to them.
const MOST_BUFFERS = 200
/** These look through the 10,000 entries that are counted or passed over. */
const DEEP = new Set(['common type', 'common type, page 200', 'half of the time'])

const PUBLIC: Record<string, Record<string, string>> = {
  'public, 50 newest': { per_page: '50' },
  'public, one type': { type: 'task_failed' },
  'public, a time': { from: ago(1), to: ago(0) },
}
const OWNER: Record<string, Record<string, string>> = {
  'first page': {},
  'last page': { page: String(Math.round(EVENTS / 10 / 50)), per_page: '50' },
  cursor: { cursor: '' },
  'cursor in the middle': { cursor: middle(), per_page: '50' },
  'rare type': { type: 'rare' },
  'no such type': { type: 'none' },
  'an hour': { from: ago(30), to: ago(30 - 1 / 24) },
  'rare type of a day': { type: 'rare', from: ago(31), to: ago(30) },
  'rare type, cursor': { type: 'rare', cursor: middle() },
  'common type': { type: 'task_completed' },
  'common type, page 200': { type: 'task_completed', page: '200', per_page: '50' },
  'half of the time': { from: ago(45) },
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const stack = await startTestStack()
try {
  const signed = await signIn({
    baseUrl: stack.base_url,
    mailboxUrl: stack.mailbox_url,
    email: 'bench@example.com',
  })
  const operator_id = z.object({ id: z.uuid() }).parse(signed.operator).id
  const owner = new pg.Client({ connectionString: stack.database_url })
  await owner.connect()
  const began = Date.now()
  const { large, small, others } = await fillLog(owner, operator_id, EVENTS)
  const filled = Date.now()
  const { findings } = await rebuildTrust(stack.database_url, { repair: true })
  const added = (Date.now() - filled) / 1000
  console.log(
    `${EVENTS} events, ${EVENTS / 10} of them of one agent and ${Math.round((EVENTS * 0.9) / others)} of each other, ` +
      `filled in ${((filled - began) / 1000).toFixed(0)} s`,
  )
  console.log(
    `trust:rebuild: ${Math.round(EVENTS / added)} events a second, ${findings.length} agents stored`,
  )
  await owner.query('vacuum analyze')
  await owner.query('checkpoint')

  const vars = parseEnv(readFileSync(join(stack.dir, 'worker.env'), 'utf8'))
  const worker = new pg.Client({ connectionString: vars.DATABASE_URL })
  await worker.connect()
  await explainAll(worker, large, { operator_id, platform_id: null })
  await worker.end()

  const key = await newKey(signed.session_token)
  await owner.query('update api_keys set rate_limit_per_minute = 1000000')
  await owner.end()
  await timeLists(large, small, key)
  await timeScores(large, small)
  process.stderr.write('adding up the log once more\n')
} finally {
  await stack.stop()
}

/** Prints what the database does for each statement as the Worker's role sends it. */
async function explainAll(client: pg.Client, reg: string, reader: Actor): Promise<void> {
  const heard: { text: string; params: unknown[] }[] = []
  const logger = { logQuery: (text: string, params: unknown[]) => heard.push({ text, params }) }
  const db = drizzle(client, { logger }) as unknown as Db // both drivers have the two calls that these stores use
  const explain = async (name: string, work: () => Promise<unknown>) => {
    heard.length = 0
    await work()
    const indexes = new Set<string>()
    let [buffers, ms] = [0, 0]
    let isWhole = false
    const look = (plan: Plan) => {
      if (plan['Index Name']) indexes.add(plan['Index Name'])
      if (plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] === TABLE) isWhole = true
      plan.Plans?.forEach(look)
    }
    for (const { text, params } of [...heard]) {
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, params)
      const [{ Plan: plan, 'Execution Time': time }] = rows[0]['QUERY PLAN']
      look(plan)
      buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      ms += time
    }
    const isDear = buffers > MOST_BUFFERS && !DEEP.has(name)
    const note = isWhole ? '  READS THE WHOLE LOG' : isDear ? `  over ${MOST_BUFFERS}` : ''
    print([name, `${buffers}`, ms.toFixed(2), [...indexes].join(' ') + note])
    if (isWhole || isDear || heard.length === 0) process.exitCode = 1
  }
  print(['\nEXPLAIN, large agent', 'buffers', 'ms', 'indexes'])
  for (const [name, query] of Object.entries(PUBLIC)) {
    await explain(name, () => listActivity(db, reg, null, activityQuery.parse(query)))
  }
  for (const [name, query] of Object.entries(OWNER)) {
    await explain(name, () => listActivity(db, reg, reader, activityQuery.parse(query)))
  }
  await explain('trust score', () => findInputs(db, reg, new Date().toISOString().slice(0, 10)))
}

async function timeLists(large: string, small: string, key: string): Promise<void> {
  print(['\nGET /activity, p50 over HTTP', 'small', 'large', '(ms)'])
  for (const [name, query] of [...Object.entries(PUBLIC), ...Object.entries(OWNER)]) {
    const headers: Record<string, string> = name in PUBLIC ? {} : { Authorization: `Bearer ${key}` }
    const path = (reg: string) => `agents/${reg}/activity?${new URLSearchParams(query)}`
    const [few, many] = await medians([path(small), path(large)], ROUNDS, headers)
    print([name, few.toFixed(1), many.toFixed(1), ''])
  }
}

/** The cost of a score must not depend on the number of events. */
async function timeScores(large: string, small: string): Promise<void> {
  const [few, many] = await medians(
    [`agents/${small}/trust-score`, `agents/${large}/trust-score`],
    SCORE_ROUNDS,
  )
  const ratio = many / few
  print([
    '\nGET /trust-score, p50',
    few.toFixed(2),
    many.toFixed(2),
    `ratio ${ratio.toFixed(2)}, at most ${MOST}`,
  ])
  if (ratio > MOST || ratio < 1 / MOST) process.exitCode = 1
}

/** The median time of two reads that take turns, so that whatever else the machine does slows both. */
async function medians(paths: [string, string], rounds: number, headers: Record<string, string> = {}) {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const which of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
      const started = performance.now()
      await get(paths[which], headers)
      times[which].push(performance.now() - started)
    }
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
  return [median(times[0]), median(times[1])] as const
}

async function get(path: string, headers: Record<string, string>): Promise<void> {
  const ip = `10.${randomInt(1, 256)}.${randomInt(256)}.${randomInt(1, 255)}`
  const response = await fetch(`${stack.base_url}/api/v1/${path}`, {
    headers: { 'CF-Connecting-IP': ip, ...headers },
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
}

async function newKey(session: string): Promise<string> {
  const response = await fetch(`${stack.base_url}/api/v1/operators/me/api-keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${session}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench', permissions: ['read'] }),
  })
  return z.object({ key: z.string() }).parse(await response.json()).key
}

function print([name = '', first = '', second = '', rest = '']: string[]): void {
  console.log(
    `${name.padEnd(30 + (name.startsWith('\n') ? 1 : 0))} ${first.padStart(8)} ${second.padStart(9)}  ${rest}`,
  )
}
