import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS } from '../../src/lib/time.ts'
import { freshSlug, ownStack } from '../support/harness.ts'
import { middle } from '../support/load/figures.ts'
import { compare } from '../support/load/ledger.ts'
import { type Received, type Receiver, type Reply, startReceiver } from '../support/receiver.ts'
import { progress, say } from './requests/servers.ts'

// Phase one: events in rounds, on the real clock; the first attempts are timed. Phase two: the queue's clock jumps
// from one retry to the next until nothing is pending. Then every event is searched for at every receiver.

const EVENTS = Number(process.env.EVENTS ?? 2_000)
const RECEIVERS = Number(process.env.RECEIVERS ?? 20)
const ROUNDS = 10
const CHANGES = 5 // of each agent's texts: they send agent.updated
const FIRST_ATTEMPTS_MS = 120_000
const INCIDENTS = Math.ceil(EVENTS / RECEIVERS / ROUNDS)
const TOLD_AN_AGENT = 20 // incidents of a minute
const AGENTS = Math.ceil((INCIDENTS * ROUNDS) / TOLD_AN_AGENT)

/** How a receiver responds to the n-th attempt of an event, and how many attempts it must receive. */
const MANNERS: {
  name: string
  attempts: (token: string) => number
  reply: (n: number, token: string) => Reply
}[] = [
  { name: 'responds with 200', attempts: () => 1, reply: () => 200 },
  { name: 'responds with 204', attempts: () => 1, reply: () => 204 },
  { name: 'fails once', attempts: () => 2, reply: (n) => (n === 1 ? 503 : 200) },
  { name: 'responds with 200', attempts: () => 1, reply: () => ({ status: 200, body: 'x'.repeat(50_000) }) },
  { name: 'always 500', attempts: () => 5, reply: () => 500 },
  { name: 'closes at first', attempts: () => 3, reply: (n) => (n < 3 ? 'close' : 200) },
  { name: 'redirects once', attempts: () => 2, reply: (n) => (n === 1 ? 302 : 200) },
  {
    name: 'hangs now and then',
    attempts: (token) => (isUnlucky(token) ? 2 : 1),
    reply: (n, token) => (n === 1 && isUnlucky(token) ? 'hang' : 200),
  },
]
const SUBSCRIPTIONS = [null, ['incident.created'], null, ['agent.updated', 'agent.registered'], null]
const isUnlucky = (token: string) => token.endsWith('-0')

interface Integration {
  name: string
  attempts: (token: string) => number
  types: readonly string[] | null
  receiver: Receiver
  regs: string[]
  key: string
  session: string
  /** The events of this platform: a token for each, by type. */
  caused: Map<string, string>
}

delete process.env.QSTASH_URL // always use the stand-in, because this bench moves its clock
const own = await ownStack()
const receivers: Receiver[] = []
try {
  const integrations: Integration[] = []
  for (let n = 0; n < RECEIVERS; n++) {
    integrations.push(await newIntegration(n))
    progress(`${n + 1} of ${RECEIVERS} platforms`)
  }
  const began = performance.now()
  await load(integrations)
  await untilFirstAttempts()
  const loaded = performance.now()
  const latencies = integrations.flatMap(firstLatencies)
  await drain()
  const drained = performance.now()
  const breaches = integrations.flatMap(judge)
  const left = await count("status = 'pending'")
  if (left > 0) breaches.push(`${left} deliveries are still pending`)
  report(integrations, latencies, { load: loaded - began, drain: drained - loaded }, breaches)
} finally {
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await own.stop()
}

async function newIntegration(n: number): Promise<Integration> {
  const manner = MANNERS[n % MANNERS.length] as (typeof MANNERS)[number]
  const types = SUBSCRIPTIONS[n % SUBSCRIPTIONS.length] ?? null
  const receiver = await startReceiver()
  receivers.push(receiver)
  // One operator each: all receivers have the same host, and an operator has one flow per host.
  const operator = await own.newOperator({ tier: 'enterprise' })
  const slug = freshSlug()
  await own.newPlatform(operator, { slug, webhook_url: receiver.url, event_types: types })
  // A URL that never responded is disabled after 50 attempts, which some receivers would see before any retry.
  await own.sql('update platforms set last_response_at = created_at where slug = $1', [slug])
  const seen = new Map<string, number>()
  receiver.respond((_, webhook) => {
    const token = tokenOf(webhook)
    seen.set(token, (seen.get(token) ?? 0) + 1)
    return manner.reply(seen.get(token) ?? 0, token)
  })
  const caused = new Map<string, string>()
  const regs: string[] = []
  for (let n = 1; n <= AGENTS; n++) {
    const token = `${slug}-registered-${n}`
    regs.push((await own.newAgent(operator, { platform_slug: slug, description: token })).reg)
    caused.set(token, 'agent.registered')
  }
  const { key } = await own.newKey(operator)
  const { name, attempts } = manner
  return { name, attempts, types, receiver, regs, key, session: operator.token, caused }
}

/** Each event has a unique text, which identifies it at the receiver. */
function tokenOf({ event }: Received): string {
  return String(event.data.description)
}

async function load(integrations: Integration[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(integrations.map((integration) => causeRound(integration, round)))
    progress(`round ${round + 1} of ${ROUNDS}`)
  }
}

async function call(method: string, path: string, token: string, body: object): Promise<void> {
  const { status, text } = await own.api(method, path, { token, body })
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`)
}

async function causeRound({ regs, key, session, caused }: Integration, round: number): Promise<void> {
  const [reg = ''] = regs
  const tokens = Array.from({ length: INCIDENTS }, (_, n) => `${reg}-${round}-${n}`)
  const events = tokens.map((description, n) => ({
    reg: regs[Math.floor((round * INCIDENTS + n) / TOLD_AN_AGENT)],
    event_type: 'incident',
    metadata: { description },
  }))
  await call('POST', '/activity/report/batch', key, { events })
  for (const token of tokens) caused.set(token, 'incident.created')
  if (round >= CHANGES) return
  const description = `${reg}-changed-${round}`
  await call('PATCH', `/agents/${reg}`, session, { description })
  caused.set(description, 'agent.updated')
}

async function count(condition: string): Promise<number> {
  const [row] = await own.sql(`select count(*)::integer as n from webhook_deliveries where ${condition}`)
  return row.n
}

async function untilFirstAttempts(): Promise<void> {
  for (const until = Date.now() + FIRST_ATTEMPTS_MS; Date.now() < until; await sleep(500)) {
    const left = await count("status = 'pending' and (attempts = 0 or lease_until is not null)")
    progress(`${left} first attempts to make`)
    if (left === 0) break
  }
}

async function drain(): Promise<void> {
  const soon = new Date(Date.now() + 1_000).toISOString()
  await own.qstash.setClock({ mode: 'virtual', now: soon })
  for (let swept = false; ; ) {
    const { delivered } = await own.qstash.runUntilIdle()
    const { now } = await own.qstash.clock()
    say(`${delivered} more attempts, up to ${now}`)
    if (delivered === 0 && swept) return
    if (delivered > 0) continue
    swept = true
    await own.cron(new Date(Date.parse(now) + DAY_MS))
  }
}

function byToken({ receiver }: Integration): Map<string, Received[]> {
  return Map.groupBy(receiver.received, tokenOf)
}

function firstLatencies(integration: Integration): number[] {
  return [...byToken(integration).values()].flatMap(([first]) =>
    first ? first.at.getTime() - Date.parse(first.event.created_at) : [],
  )
}

/** The problems at one receiver. */
function judge(integration: Integration): string[] {
  const { name, types, caused, attempts } = integration
  const got = byToken(integration)
  const breaches: string[] = []
  const wanted = [...caused].filter(([, type]) => types?.includes(type) ?? true)
  for (const [token, type] of wanted) {
    const posts = got.get(token) ?? []
    const ids = new Set(posts.map(({ event }) => event.id)).size
    if (posts.length !== attempts(token))
      breaches.push(`${name}: ${posts.length} of ${attempts(token)} of ${token}`)
    if (ids > 1) breaches.push(`${name}: ${token} has ${ids} ids`)
    if (posts.some(({ event }) => event.type !== type)) breaches.push(`${name}: ${token} is no ${type}`)
  }
  const { unexpected } = compare(
    wanted.map(([token]) => token),
    got.keys(),
  )
  for (const token of unexpected) breaches.push(`${name}: ${token} was not asked for`)
  return breaches
}

function report(
  integrations: Integration[],
  latencies: number[],
  took: { load: number; drain: number },
  breaches: string[],
): void {
  const caused = integrations.reduce((sum, one) => sum + one.caused.size, 0)
  const posts = integrations.reduce((sum, one) => sum + one.receiver.received.length, 0)
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `${caused} events, ${RECEIVERS} receivers, ${latencies.length} events wanted, ${posts} attempts`,
  )
  console.log(`load ${seconds(took.load)} s, drain ${seconds(took.drain)} s`)
  console.log(`event to first attempt: p50 ${middle(latencies)} ms, p99 ${middle(latencies, 0.99)} ms`)
  for (const breach of breaches.slice(0, 20)) console.log(`BREACH ${breach}`)
  console.log(breaches.length === 0 ? 'every event accounted for' : `${breaches.length} breaches`)
  if (breaches.length > 0) process.exitCode = 1
}
