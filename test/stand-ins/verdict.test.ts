import { eventsCheck, verifyAgent } from '@agentreg/verify'
import { expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { importTokenKeys, makeTokenKey } from '../../src/transparency/token.ts'
import type { StoredEvent } from '../support/log/agent.ts'
import { append, appendEvents, appendKeys, sign } from '../support/log/log.ts'
import { hideLeaves, inJson, signStatement, statementOf, TOKEN_KEY } from '../support/log/serve.ts'
import { addLater, dayAgo, expectFailed, REG, type Story, tellStory } from '../support/log/story.ts'
import { LONG_SEARCH } from '../support/long-search.ts'
import { seeded } from '../vectors/rollups.ts'

const [SEEDS, CHANGES] = LONG_SEARCH ? [40, 250] : [4, 60]

/** The verdict about a registry that signs another token. */
async function verdictWith(story: Story, change: (stated: ReturnType<typeof statementOf>) => object) {
  const { service, agent, log } = story
  const stated = { ...statementOf(agent, log), ...change(statementOf(agent, log)) }
  service.tamper = (path) =>
    path.endsWith('/token') ? signStatement(service.url, stated).then((body) => Response.json(body)) : null
  return verifyAgent(service.url, REG)
}

it('requires each field of a token, with its type', async () => {
  await using story = await tellStory()
  expect(await verdictWith(story, () => ({}))).toMatchObject({ verdict: 'verified' })
  const { verification } = statementOf(story.agent, story.log)
  for (const name of Object.keys(verification)) {
    if (name === 'reg' || name === 'checked_at') continue
    for (const value of [undefined, 7, {}]) {
      const found = await verdictWith(story, (stated) => ({
        verification: { ...stated.verification, [name]: value },
      }))
      expectFailed(found, 'token', name)
    }
  }
})

it('requires the newest head in a token if there is a log', async () => {
  await using story = await tellStory()
  expectFailed(
    await verdictWith(story, () => ({ log: null })),
    'checkpoint',
    'the token names no head of the log',
  )
})

it.each(['/trust-score', '/trust-score/inputs'])(
  'requires each number of %s, and the agent',
  async (path) => {
    await using story = await tellStory()
    const { service } = story
    const response = await fetch(`${service.url}/api/v1/agents/${REG}${path}`)
    const whole = (await response.json()) as { reg: string; score?: object }
    const names = Object.keys(whole.score ?? whole).filter((name) => name !== 'computed_at')
    expect(names.length).toBeGreaterThan(8)
    for (const name of names) {
      service.tamper = inJson(path, (body) => {
        if (body.score) delete body.score[name]
        else if ('overall' in body) delete body[name]
      })
      expectFailed(await verifyAgent(service.url, REG), 'score', name)
    }
    service.tamper = inJson(path, (body) => ({ ...body, reg: 'REG-2026-0001-0043-S' }))
    expectFailed(await verifyAgent(service.url, REG), 'score', 'reg is')
  },
)

it('requires that the log has the key of the token, and has not removed it', async () => {
  await using story = await tellStory()
  const { kid, publicJwk: key } = await TOKEN_KEY
  const { service, log } = story
  service.tamper = inJson('info.json', (info) => ({ ...info, keys: [] }))
  expectFailed(await verifyAgent(service.url, REG), 'checkpoint', `the log does not have the key ${kid}`)
  service.tamper = () => null
  append(log, { v: 1, kind: 'key', use: 'token', kid, key, state: 'removed' })
  await sign(log)
  expectFailed(await verifyAgent(service.url, REG), 'checkpoint', `the log does not have the key ${kid}`)
  const [other] = await importTokenKeys([JSON.parse(await makeTokenKey())])
  append(log, { v: 1, kind: 'key', use: 'token', kid, key: other?.publicJwk ?? key, state: 'added' })
  await sign(log)
  expectFailed(await verifyAgent(service.url, REG), 'checkpoint', 'the key of the token: x is')
  append(log, { v: 1, kind: 'key', use: 'token', kid, key, state: 'added' })
  await sign(log)
  expect(await verifyAgent(service.url, REG)).toMatchObject({ verdict: 'verified' })
})

it('fails for a score of a day that has not begun', async () => {
  await using story = await tellStory()
  const now = new Date(Date.now() - 2 * DAY_MS)
  expectFailed(await verifyAgent(story.service.url, REG, { now }), 'score', 'which is in the future')
})

it('is incomplete if the checkpoint is older than the token, or a finished day is not in the log', async () => {
  await using story = await tellStory()
  const { log, service } = story
  const { note } = log.head
  await story.goOn(1)
  const resultOf = async (name: string) => {
    const { verdict, checks } = await verifyAgent(service.url, REG)
    return { verdict, ...checks.find((one) => one.name === name) }
  }
  service.tamper = (path) => (path.endsWith('/checkpoint') ? new Response(note) : null)
  const older = 'the checkpoint is older than the token: try again later'
  expect(await resultOf('checkpoint')).toMatchObject({ verdict: 'incomplete', ok: null, detail: older })
  service.tamper = hideLeaves(...[1, 2].map((days) => `"day":"${dayAgo(days)}"`))
  const late = `day ${dayAgo(2)} is over, but not in the log`
  expect(await resultOf('days')).toMatchObject({ verdict: 'incomplete', ok: null, detail: late })
})

/** What no verdict relies on; the README of the package states why. */
const UNUSED = [
  /^\/trust-score: \/computed_at$/, // within the hour
  /^\/info\.json: \/(origin|merge_delay_seconds|size|witnesses|mirrors|previous_origins)/,
  /: \/next_cursor( is missing)?$/,
  /^\/jwks\.json: \/keys\/\d+\/use is missing$/,
  /^\/log-entries: \/data\/1\/opening/, // of an earlier revision
]

it.each(Array.from({ length: SEEDS }, (_, n) => n + 1))(
  'is not verified after a change of one byte of any response: seed %i',
  async (seed) => {
    await using story = await tellStory()
    const { service } = story
    await appendKeys(story.log, story.agent)
    await sign(story.log)
    const kept = new Map<string, Uint8Array>()
    const now = new Date()
    const verdictOf = (change: (url: string, bytes: Uint8Array) => Uint8Array) =>
      verifyAgent(service.url, REG, {
        now,
        maxWaitSeconds: 0,
        fetch: async (url, init) => {
          const bytes = kept.get(url) ?? new Uint8Array(await (await fetch(url, init)).arrayBuffer())
          kept.set(url, bytes)
          return new Response(change(url, bytes) as Uint8Array<ArrayBuffer>)
        },
      })
    expect(await verdictOf((_, bytes) => bytes)).toMatchObject({ verdict: 'verified' })
    const random = seeded(seed)
    const urls = [...kept.keys()]
    const unnoticed: string[] = []
    for (let n = 0; n < CHANGES; n++) {
      const url = urls[Math.floor(random() * urls.length)] ?? ''
      const at = Math.floor(random() * (kept.get(url)?.length ?? 0))
      const changed = Uint8Array.from(kept.get(url) ?? [], (byte, index) =>
        index === at ? otherByte(byte) : byte,
      )
      const { verdict } = await verdictOf((of, bytes) => (of === url ? changed : bytes))
      if (verdict === 'verified') unnoticed.push(placeOf(url, kept.get(url), changed, at))
    }
    expect(unnoticed.filter((place) => !UNUSED.some((pattern) => pattern.test(place)))).toEqual([])
  },
)

/** Another digit for a digit, another letter for a letter. */
function otherByte(byte: number): number {
  const char = String.fromCharCode(byte)
  if (/\d/.test(char)) return 48 + ((byte - 48 + 1) % 10)
  return /[a-z]/i.test(char) ? byte ^ 1 : (byte + 1) % 256
}

/** The last part of a URL, and the JSON path of the first value that differs, or the position. */
function placeOf(url: string, one: Uint8Array | undefined, other: Uint8Array, at: number): string {
  const name = /\/[^/]+$/.exec(new URL(url).pathname)?.[0]
  const [a, b] = [one ?? [], other].map((bytes) => parsed(Buffer.from(bytes).toString()))
  return `${name}: ${a && b ? differingPath(a, b) : at}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function differingPath(one: unknown, other: unknown): string {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return ''
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (!Object.hasOwn(other, name)) return `/${name} is missing`
    const [a, b] = [Reflect.get(one, name), Reflect.get(other, name)]
    if (JSON.stringify(a) !== JSON.stringify(b)) return `/${name}${differingPath(a, b)}`
  }
  return ''
}

it('accepts closed events only in place of listed ones whose custom type is withheld', async () => {
  await using story = await tellStory()
  const { agent, log, service } = story
  addLater(agent, 4)
  const added = agent.events.slice(-4)
  for (const at of [1, 3]) Object.assign(added[at] ?? {}, { event_type: 'secret' })
  await appendEvents(log, agent, agent.events.length - 3)
  await sign(log)
  const verdictOf = async ({ profile = true, listed = 'secret', closed = 'secret' }) => {
    const tampers = [
      inJson('/activity', ({ data }) => ({
        data: data.map((event: StoredEvent) => ({
          ...event,
          event_type: event.event_type === listed ? 'other' : event.event_type,
        })),
        withheld: ['event_type', 'metadata'],
      })),
      inJson('/log-entries', ({ data, ...rest }) => ({
        data: data.map(({ opening, ...entry }: { opening?: { facts: string } }) =>
          opening?.facts.includes(`"event_type":"${closed}"`) ? entry : { ...entry, opening },
        ),
        ...rest,
      })),
    ]
    const withheld = { name: REG, operator_status: 'suspended', withheld: ['name'] }
    service.tamper = (path, response) =>
      profile && path === `/api/v1/agents/${REG}`
        ? response.json().then((body) => Response.json({ ...(body as object), ...withheld }))
        : (tampers.map((tamper) => tamper(path, response)).find((changed) => changed !== null) ?? null)
    const { verdict, checks } = await verifyAgent(service.url, REG, { also: [eventsCheck] })
    return { verdict, events: checks.find(({ name }) => name === 'events')?.ok }
  }
  expect(await verdictOf({})).toEqual({ verdict: 'verified', events: true })
  // Without one of their events, the sums of finished days cannot be compared.
  expect(await verdictOf({ listed: 'task_failed', closed: 'task_failed' })).toMatchObject({ events: true })
  expect(await verdictOf({ profile: false })).toEqual({ verdict: 'incomplete', events: null })
  expect(await verdictOf({ listed: 'none' })).toEqual({ verdict: 'failed', events: false })
  expect(await verdictOf({ closed: 'task_failed' })).toEqual({ verdict: 'failed', events: false })
})
