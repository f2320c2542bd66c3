import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { score } from '../support/log/agent.ts'
import { append, appendAgent, appendDays, appendEvents, sign, type TestLog } from '../support/log/log.ts'
import { inJson, OWNER_KEY, signStatement, statementOf, type Tamper } from '../support/log/serve.ts'
import {
  addLater,
  dayAgo,
  event,
  expectFinding,
  OTHER,
  REG,
  run,
  type Story,
  tellStory,
} from '../support/log/story.ts'

it('exits with 0 if everything holds, for strangers, operators, and monitors, in repeated runs', async () => {
  await using story = await tellStory()
  const first = await story.verify('--state', story.state)
  expect(first.out).toContain(`pin it: --vkey ${story.log.vkey}`)
  expect(first.out).toMatch(/^entries +ok +9 leaves in the signed tree/m)
  expect(first.out).toMatch(/^events +ok +50 of 136 events opened, 1 day added up from them$/m)
  expect(first.out).toMatch(/^history +ok +5 scores of the history, and the rows of 1 window$/m)
  expect(first).toMatchObject({ status: 0, err: '' })
  await story.goOn()
  const second = await story.verify('--state', story.state, '--all')
  expect(second.out).toMatch(/^state +ok +the 385 leaves seen on .* are unchanged, 8 more$/m)
  expect(second.out).toContain('393 leaves result in the signed root: 373 events of 2 agents')
  expect(second).toMatchObject({ status: 0, err: '' })
  const third = await story.verify('--state', story.state, '--key', OWNER_KEY)
  expect(third.out).toContain('144 of 144 events opened, 4 days added up from them')
  expect(third).toMatchObject({ status: 0, err: '' })
  expect(JSON.parse(readFileSync(story.state, 'utf8')).heads).toHaveLength(2)
  const log = await run(story.service.url, '--all')
  expect(log).toMatchObject({ status: 0, err: '' })
})

it('accepts events that are not in the log yet, and waits for a changed profile', async () => {
  await using story = await tellStory()
  addLater(story.agent, 3)
  expect((await story.verify()).out).toMatch(/^events +ok .*; 3 not in the log yet$/m)
  story.agent.profile.name = 'Messenger'
  story.agent.revision = 3
  const early = await story.verify()
  expect(early).toMatchObject({
    status: 2,
    out: expect.stringContaining('the newest profile is not in the log'),
  })
  await appendAgent(story.log, story.agent, 3)
  await sign(story.log)
  expect(await story.verify()).toMatchObject({ status: 0, err: '' })
})

it('finds a changed byte of an event: a stranger in the newest 50, the operator in all', async () => {
  await using story = await tellStory()
  event(story, 130).metadata = { code: 'E43' }
  expectFinding(await story.verify(), 'event 130 does not match the log (other_facts)')
  await using second = await tellStory()
  event(second, 12).severity = 'warning'
  expect(await second.verify()).toMatchObject({ status: 0 })
  expectFinding(await second.verify('--key', OWNER_KEY), 'event 12 does not match the log')
})

it('finds a deleted event, and one inserted in the middle', async () => {
  await using story = await tellStory()
  story.agent.events = story.agent.events.filter(({ seq }) => seq !== 120)
  expectFinding(
    await story.verify(),
    'events that must be public are not shown: seq 120',
    /day \S+ independent: events is 21 in the log, but 20 in its events/,
  )
  await using second = await tellStory()
  const { events } = second.agent
  events.splice(40, 0, { ...event(second, 41), id: 'added' })
  for (const [at, one] of events.entries()) one.seq = at + 1
  expectFinding(await second.verify('--key', OWNER_KEY), 'event 41 does not match the log', /and \d+ more/)
})

it('finds differences between the activity list and the log', async () => {
  await using story = await tellStory()
  story.service.tamper = inJson('/activity', (body) => {
    body.data[3].source = 'peer'
    body.data[4].metadata = { quality: 1 }
  })
  expectFinding(
    await story.verify(),
    /event 133 as listed: source is "peer", must be "(self|independent)"/,
    'event 132: the listed metadata differs from the log',
  )
  story.service.tamper = inJson('/activity', ({ data }) => ({ data: data.slice(0, 40) }))
  expectFinding(await story.verify(), '10 events of the log are not listed as activity')
})

it('finds a listed event that was never logged', async () => {
  await using story = await tellStory()
  addLater(story.agent, 1)
  const [last] = story.agent.events.slice(-1)
  if (last) last.created_at = new Date(Date.now() - 600_000).toISOString()
  expectFinding(await story.verify(), /event \S+ of \S+ is listed, but not in the log/)
})

it('finds a profile that differs from its newest revision in the log', async () => {
  await using story = await tellStory()
  const { platform_since } = story.agent.profile
  story.agent.profile.platform_since = '2020-01-01T00:00:00.000Z'
  expectFinding(await story.verify(), /the profile: platform_since is "2020-01-01T00:00:00.000Z", must be "/)
  const { verification, log } = statementOf(story.agent, story.log)
  const forged = { verification: { ...verification, name: 'Other' }, log }
  story.agent.profile.platform_since = platform_since
  story.service.tamper = inJson('/token', () => signStatement(story.service.url, forged))
  expectFinding(await story.verify(), 'the token: name is "Other", must be "Courier"')
})

it('finds an opening that does not open the newest revision of a profile', async () => {
  await using story = await tellStory()
  const opened = (changes: object) =>
    inJson('/log-entries', ({ data }) => {
      const newest = data.findLast(({ leaf }: { leaf: string }) => leaf.includes('"kind":"agent"'))
      if (newest?.opening) Object.assign(newest.opening, changes)
    })
  for (const [changes, found] of [
    [{ facts: '{}' }, 'other_facts'],
    [{ salt: 'A' }, 'malformed'],
    [{ texts: '{"name":"Other"}' }, 'other_texts'],
    [{ texts: undefined, texts_salt: undefined }, 'its texts are hidden'],
  ] as const) {
    story.service.tamper = opened(changes)
    expectFinding(await story.verify(), new RegExp(`^profile +FAILED .*${found}`, 'm'))
  }
})

it('finds an incident that is not listed, and a standing that does not follow from the record', async () => {
  await using story = await tellStory()
  story.service.tamper = inJson('/incidents', () => ({ data: [] }))
  expectFinding(await story.verify(), /incident \S+ of the log is not listed/)
  const { verification, log } = statementOf(story.agent, story.log)
  expect(verification.standing).not.toBe('established')
  const forged = { verification: { ...verification, standing: 'established' }, log }
  story.service.tamper = inJson('/token', () => signStatement(story.service.url, forged))
  expectFinding(await story.verify(), /^standing +FAILED +the token: standing is established, must be /m)
})

it('finds entries that the list hides: an event by its number, a day by its sum, others with --all', async () => {
  await using story = await tellStory()
  const hide = (...texts: string[]) =>
    inJson('/log-entries', ({ data, ...rest }) => ({
      ...rest,
      data: data.filter(({ leaf }: { leaf: string }) => !texts.some((text) => leaf.includes(text))),
    }))
  story.service.tamper = hide('"seq":77,')
  expectFinding(await story.verify(), 'events: seq 77 missing')
  story.service.tamper = hide(`"day":"${dayAgo(4)}"`)
  expectFinding(await story.verify(), /day \S+: its rows count 0 events, but the log has 32 of this day/)
  story.service.tamper = hide(`"day":"${dayAgo(1)}"`, `"day":"${dayAgo(2)}"`)
  expectFinding(await story.verify(), /day \S+ is over, but not in the log/)
  story.service.tamper = hide('"kind":"agent"')
  expectFinding(await story.verify('--all'), /the list of \S+ omits leaf 1, 384/)
})

it('finds a listed entry that differs from its leaf, or belongs to another agent', async () => {
  await using story = await tellStory()
  story.service.tamper = inJson('/log-entries', (body) => {
    body.data[5].leaf = body.data[5].leaf.replace(/"c":"./, '"c":"_')
  })
  expectFinding(await story.verify(), /leaf \d+ is a different one in the signed tree/)
  story.service.tamper = inJson('/log-entries', (body) => {
    const { bytes } = story.log.leaves[3] as TestLog['leaves'][0]
    if (body.data[0].index !== 1) return
    body.data.splice(1, 0, { index: 3, leaf: new TextDecoder().decode(bytes) })
  })
  expectFinding(await story.verify(), `leaf 3 is not a valid leaf for ${REG}`)
})

it('finds bundles and tiles that do not lead to the signed root', async () => {
  await using story = await tellStory()
  const flip =
    (part: string): Tamper =>
    async (path, response) => {
      const bytes = new Uint8Array(await response.arrayBuffer())
      if (path.endsWith(part)) bytes[bytes.length - 2] = 1 + (bytes.at(-2) ?? 0)
      return new Response(bytes, response)
    }
  story.service.tamper = flip('/tile/entries/000')
  expectFinding(await story.verify('--all'), 'the leaves do not result in the signed root')
  for (const part of ['/tile/0/000', '/tile/1/000.p/1']) {
    story.service.tamper = flip(part)
    expectFinding(await story.verify(), 'the tiles do not result in the signed root')
  }
})

it('finds a score that does not follow from its rows, or was changed after it was logged', async () => {
  await using story = await tellStory()
  const day = dayAgo(2)
  const past = story.agent.history.find((one) => one.day === day)
  if (!past) throw new Error('no score')
  const { overall } = past
  past.overall = 99.9
  expectFinding(await story.verify(), `overall of ${day} is shown as 99.9, the log has ${overall.toFixed(1)}`)
  appendDays(story.log, story.agent, [day], 2)
  await sign(story.log)
  expectFinding(
    await story.verify(),
    `note: day ${day} was corrected: revision 2 counts`,
    `day ${day}: overall is "99.9", must be "${overall.toFixed(1)}"`,
  )
})

it('finds a logged row that differs from its events: the operator always, a stranger by its sums', async () => {
  await using story = await tellStory()
  const day = dayAgo(2)
  const row = story.agent.rows.find((one) => one.day === day && one.source === 'independent')
  if (!row) throw new Error('no row')
  row.completed += 1
  row.failed -= 1
  await resettled(story, day)
  expect(await story.verify()).toMatchObject({ status: 0 })
  expectFinding(
    await story.verify('--key', OWNER_KEY),
    /day \S+ independent: completed is \d+ in the log, but \d+ in its events/,
  )
  row.graded_count = row.completed + 1
  await resettled(story, day, 3)
  expectFinding(await story.verify(), `day ${day}, independent: more graded_count than completed allow`)
  row.events += 1
  await resettled(story, day, 4)
  expectFinding(await story.verify(), /its rows count 33 events, but the log has 32 of this day/)
})

/** Computes the scores again, and logs the days with another revision. */
async function resettled({ agent, log }: Story, from: string, rev = 2): Promise<void> {
  await score(agent)
  const days = agent.history.map(({ day }) => day).filter((day) => day >= from)
  appendDays(log, agent, days, rev)
  await sign(log)
}

it('reports a corrected day, and verifies its current revision', async () => {
  await using story = await tellStory()
  const row = story.agent.rows.find((one) => one.day === dayAgo(2))
  if (!row) throw new Error('no row')
  row.latency_tolerating -= 1
  await resettled(story, dayAgo(2))
  const found = await story.verify('--all')
  expect(found.out).toContain(`note: day ${dayAgo(2)} was corrected: revision 2 counts`)
  expect(found).toMatchObject({ status: 0, err: '' })
})

it('finds numbers that are logged twice or missing', async () => {
  await using story = await tellStory()
  await appendEvents(story.log, story.agent, 136)
  await appendEvents(story.log, story.agent, 135)
  await appendAgent(story.log, story.agent, 4)
  await sign(story.log)
  expectFinding(
    await story.verify('--all'),
    'events: seq 135 to 136 twice',
    'agent: rev 3 missing',
    `${REG}: events: seq 135 to 136 twice`,
  )
  await using second = await tellStory()
  const other = second.log.agents.get(OTHER)
  if (!other) throw new Error('no other agent')
  await appendAgent(second.log, other, 1)
  await sign(second.log)
  expect(await second.verify()).toMatchObject({ status: 0 })
  expectFinding(await second.verify('--all'), `${OTHER}: agent: rev 1 twice`)
})

it('finds a missing and a doubled revision of an operator or platform, with --all', async () => {
  await using story = await tellStory()
  const operator = randomUUID()
  const shared = { v: 1, at: '2026-11-12T10:00:00.000Z' } as const
  for (const rev of [1, 3])
    append(story.log, { ...shared, kind: 'operator', operator, rev, state: 'verified' })
  const platform = { ...shared, kind: 'platform', platform: 'acme', rev: 1, operator } as const
  for (const state of ['registered', 'trusted'] as const) append(story.log, { ...platform, state, by: [] })
  await sign(story.log)
  expectFinding(
    await story.verify('--all'),
    `operator ${operator}: rev 2 missing`,
    'platform acme: rev 1 twice',
  )
})

it('finds an event that is dated before a head that does not contain it', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  addLater(story.agent, 1)
  event(story, 137).created_at = new Date(Date.now() - 3_600_000).toISOString()
  for (const one of story.agent.events.slice(128, 136)) one.created_at = event(story, 137).created_at
  await appendEvents(story.log, story.agent, 137)
  await sign(story.log)
  expectFinding(
    await story.verify('--state', story.state),
    /event 137 is dated \S+, but was not in the log on \S+: backdated, or logged late/,
  )
})

it('is incomplete with a key that opens nothing', async () => {
  await using story = await tellStory()
  story.service.tamper = inJson('/activity', ({ next_cursor: _, ...body }) => body)
  expect(await story.verify('--key', 'reg_live_of_somebody')).toMatchObject({
    status: 2,
    out: expect.stringContaining('the key does not belong to the operator or platform of the agent'),
  })
})
