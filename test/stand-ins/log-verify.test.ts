import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { append, appendAgent, sign, type TestLog } from '../support/log/log.ts'
import { inJson, OWNER_KEY, signStatement, statementOf, type Tamper } from '../support/log/serve.ts'
import { addLater, dayAgo, expectFinding, OTHER, REG, run, tellStory } from '../support/log/story.ts'

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

it('finds numbers of another agent that are logged twice only with --all', async () => {
  await using story = await tellStory()
  const other = story.log.agents.get(OTHER)
  if (!other) throw new Error('no other agent')
  await appendAgent(story.log, other, 1)
  await sign(story.log)
  expect(await story.verify()).toMatchObject({ status: 0 })
  expectFinding(await story.verify('--all'), `${OTHER}: agent: rev 1 twice`)
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

it('is incomplete with a key that opens nothing', async () => {
  await using story = await tellStory()
  story.service.tamper = inJson('/activity', ({ next_cursor: _, ...body }) => body)
  expect(await story.verify('--key', 'reg_live_of_somebody')).toMatchObject({
    status: 2,
    out: expect.stringContaining('the key does not belong to the operator or platform of the agent'),
  })
})
