import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { type Body, ownStack } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import { type Fate, startProxy } from '../support/proxy.ts'
import { settingsOf } from '../support/worker-settings.ts'
import { type BareWorker, startBare, testBundle } from '../support/workerd.ts'
import {
  ATTEMPTS,
  type Case,
  CRASHES,
  expectedOf,
  expectOnTime,
  type Mishap,
  type Point,
  type Story,
  startsOf,
  TOLERANCE_SECONDS,
} from './crash.ts'

// Runs the Worker in workerd and kills it at the step that a case names: all its connections go through proxies.
// The clock stands still during deliveries, so that a slow machine does not delay attempts.

delete process.env.QSTASH_URL // always use the stand-in, because these tests move its clock
const own = await ownStack()
const bundle = await testBundle()
const settings = settingsOf(own.dir)
const cases = new Map<string, Case>()
/** A Worker from its start until it is killed. Each has its own proxies, so that its late requests are not counted for the next. */
interface Life {
  worker: BareWorker
  isOver: boolean
  end(): Promise<void>
}

let life: Promise<Life>
let current: { delivery_id: string; attempt: number; message_id: string } | null = null
let assigned = Promise.resolve()

const receiver = createServer(async (request, response) => {
  const raw = await text(request).catch(() => null)
  if (raw === null) return
  const { id } = JSON.parse(raw)
  const hit = [...cases.values()].find(({ event_id }) => event_id === id)
  if (hit) hit.posts += 1
  if ((await passing('after the POST')) === 'cut') return void request.socket.destroy()
  response.writeHead(500, { connection: 'close' }).end()
})
receiver.on('connection', (socket) => {
  if (isDue('before the POST')) {
    void passing('before the POST')
    socket.destroy()
  }
})

async function start(): Promise<Life> {
  const neon = await startProxy(own.neon_sql_url, {
    before: ({ body }) =>
      born.isOver
        ? 'cut'
        : body.includes('insert into webhook_attempts')
          ? passing('before the claim')
          : body.includes('record_outcome(')
            ? passing('before the record')
            : undefined,
    after: ({ body }) =>
      body.includes('insert into webhook_attempts')
        ? passing('after the claim')
        : body.includes('record_outcome(')
          ? passing('after the record')
          : body.includes('publish_count = d.publish_count + 1')
            ? passing('before the response')
            : undefined,
  })
  const qstash = await startProxy(own.qstash_url, {
    before: async ({ body }) => {
      const fate = await rejected(body)
      return born.isOver ? 'cut' : (fate ?? passing('before the next is published'))
    },
    after: async ({ body }) => {
      await lose(body)
      return passing('after the next is published')
    },
  })
  const worker = await startBare(bundle, { ...settings, NEON_SQL_URL: neon.url, QSTASH_URL: qstash.url })
  const born: Life = {
    worker,
    isOver: false,
    async end() {
      born.isOver = true
      await worker.kill()
      await Promise.all([neon.stop(), qstash.stop()])
    },
  }
  return born
}

const port = Number(new URL(own.base_url).port)
await own.stack.worker.kill()
life = start()
await life
const front = await startProxy(
  async () => (await life).worker.url,
  {
    before: ({ path, body, headers }) => {
      if (path !== '/internal/qstash/deliver') return undefined
      current = { ...JSON.parse(body), message_id: String(headers['upstash-message-id']) }
      return undefined
    },
    after: () => {
      current = null
      return undefined
    },
  },
  { host: 'localhost', port },
)

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await front.stop()
  receiver.closeAllConnections()
  receiver.close()
  await (await life).end()
  await own.stop()
})

function isDue(point: Point): Case | null {
  const hit = current && cases.get(current.delivery_id)
  if (!hit || hit.happened || !('crash' in hit.mishap)) return null
  return hit.mishap.crash === point && hit.mishap.attempt === current?.attempt ? hit : null
}

/** Kills the Worker if a case says so at this point; requests then wait for the next one. */
async function passing(point: Point): Promise<Fate | undefined> {
  const hit = isDue(point)
  if (!hit) return undefined
  hit.happened = true
  const dying = await life
  dying.isOver = true
  if ('forgets' in hit.mishap) await forget(current?.message_id ?? '')
  life = dying.end().then(start)
  await life
  return 'cut'
}

async function forget(message_id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${TOKEN}` }
  await fetch(`${own.qstash_url}/v2/messages/${message_id}`, { method: 'DELETE', headers })
}

/** The cases whose mishap affects an attempt that this batch publishes. */
function published(body: string): Case[] {
  const items = body.startsWith('[') ? (JSON.parse(body) as { body: string }[]) : []
  return items.flatMap((item) => {
    const { delivery_id, attempt } = JSON.parse(item.body)
    const hit = cases.get(delivery_id)
    return hit && hit.mishap.attempt === attempt ? [hit] : []
  })
}

async function rejected(body: string): Promise<Fate | undefined> {
  await assigned
  const now = await clock()
  let fate: Fate | undefined
  for (const hit of published(body)) {
    if (!('rejects' in hit.mishap)) continue
    hit.happened = true
    hit.rejectedUntil ??= now + 60 * MINUTE_MS
    if (now < hit.rejectedUntil) fate = 503
  }
  return fate
}

async function lose(body: string): Promise<void> {
  for (const hit of published(body)) {
    if (!('loses' in hit.mishap) || hit.happened) continue
    hit.happened = true
    for (const message of await own.qstash.messages()) {
      if (message.body?.includes(hit.delivery_id)) await forget(message.messageId)
    }
  }
}

const clock = async () => Date.parse((await own.qstash.clock()).now)

/** Creates one event for each mishap in one batch, on a platform whose receiver responds with 500. */
async function begin(mishaps: Mishap[]): Promise<Case[]> {
  const now = new Date(Math.ceil((await clock()) / 1000) * 1000)
  await own.qstash.setClock({ mode: 'virtual', now: now.toISOString() })
  const operator = await own.newOperator({ now, tier: 'pro' })
  const webhook_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const platform = await own.newPlatform(operator, { webhook_url, event_types: ['incident.created'] })
  // A URL that never responded would be disabled.
  await own.sql('update platforms set last_response_at = created_at where slug = $1', [platform.slug])
  const fields = { platform_slug: platform.slug }
  const agents: Body[] = []
  for (const _ of mishaps) agents.push(await own.newAgent(operator, fields, now)) // they would wait for its row
  const { key } = await own.newKey(operator, undefined, {}, now)
  const events = agents.map(({ reg }) => ({ reg, event_type: 'incident' }))
  const { promise, resolve } = Promise.withResolvers<void>()
  assigned = promise
  await own.reportBatch(key, events, now)
  const find = () =>
    own.sql(
      `select d.id as delivery_id, d.event_id, d.published_at is not null as published
       from webhook_deliveries d join platforms p on p.id = d.platform_id where p.slug = $1 order by d.id`,
      [platform.slug],
    )
  const made = (await find()).map(
    ({ delivery_id, event_id }, n): Case => ({
      began: now.getTime(),
      delivery_id,
      event_id,
      mishap: mishaps[n] ?? { attempt: 0, nothing: true },
      posts: 0,
      happened: false,
    }),
  )
  for (const one of made) cases.set(one.delivery_id, one)
  resolve()
  const isRejected = mishaps.some((mishap) => 'rejects' in mishap && mishap.attempt === 1)
  await vi.waitFor(async () => {
    if (isRejected) return expect(made.every(({ happened }) => happened)).toBe(true)
    expect((await find()).every(({ published }) => published)).toBe(true)
  }, SOON)
  return made
}

/** Advances the clock by `totalMs`, running the scheduled jobs every `everyMs`. */
async function runWithJobs(totalMs: number, everyMs: number): Promise<void> {
  for (let ran = 0; ran < totalMs; ran += everyMs) {
    await own.qstash.advance(everyMs)
    await own.cron(new Date(await clock())).catch((error) => {
      if (!String(error).includes('outbox_sweep')) throw error
    })
  }
  await own.qstash.runUntilIdle()
}

async function storyOf(one: Case): Promise<Story> {
  const rows: Body[] = await own.sql(
    `select a.number::integer, a.started_at, coalesce(a.response_status::text, a.error, 'open') as outcome, d.status
     from webhook_deliveries d left join webhook_attempts a on a.delivery_id = d.id
     where d.id = $1 order by a.number`,
    [one.delivery_id],
  )
  const { mishap, posts, happened } = one
  return {
    what: JSON.stringify(mishap),
    status: rows[0].status,
    starts: rows.map(({ started_at }, n) => {
      const start = (started_at.getTime() - one.began) / 1000
      const due = startsOf(one)[n] ?? 0
      return start >= due && start < due + TOLERANCE_SECONDS ? due : start
    }),
    log: Object.fromEntries(rows.map(({ number, outcome }) => [number, outcome])),
    posts,
    happened,
  }
}

it('loses at most the interrupted attempt when the Worker crashes at any point of any attempt', async () => {
  const made = await begin([{ attempt: 0, nothing: true }, ...CRASHES])
  await own.qstash.runUntilIdle()
  expect(await Promise.all(made.map(storyOf))).toEqual(made.map(expectedOf))
}, 600_000)

/** Expects that the sweep has recovered all deliveries, as expected except for the delay. */
async function expectRecovery(made: Case[], lateSeconds: number): Promise<void> {
  const stories = await Promise.all(made.map(storyOf))
  for (const story of stories) expectOnTime(story, lateSeconds)
  const starts = expect.any(Array)
  expect(stories).toEqual(made.map((one) => ({ ...expectedOf(one), starts })))
}

it('loses no more when QStash loses a message, with or without a crash', async () => {
  const forgotten: Point[] = ['before the claim', 'after the claim', 'after the POST', 'after the record']
  const made = await begin([
    ...ATTEMPTS.map((attempt) => ({ attempt, loses: true as const })),
    ...forgotten.flatMap((crash) => [1, 4].map((attempt) => ({ attempt, crash, forgets: true as const }))),
  ])
  await runWithJobs(4 * HOUR_MS, 10 * MINUTE_MS)
  await expectRecovery(made, 40 * 60)
})

it.each([1, 3])(
  'makes every attempt when QStash rejects everything for an hour, from attempt %i on',
  async (attempt) => {
    const made = await begin([{ attempt, rejects: true }])
    await runWithJobs(5 * HOUR_MS, 15 * MINUTE_MS)
    await expectRecovery(made, 80 * 60)
  },
)

const publications = () => recordedCalls().filter(({ path }) => path === '/v2/batch').length

it.each(['deliverTwice', 'dropResponse'])(
  'keeps the schedule, and publishes no attempt more than twice, under the fault %s',
  async (fault) => {
    const before = publications()
    const made = await begin([{ attempt: 0, nothing: true }])
    await own.qstash.setFaults({ [fault]: true })
    await own.qstash.runUntilIdle()
    await own.qstash.clearFaults()
    expect(await Promise.all(made.map(storyOf))).toEqual(made.map(expectedOf))
    expect(publications() - before).toBeLessThanOrEqual(2 * 5)
  },
)
