import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { append, appendAgent, appendKeys, sign } from '../support/log/log.ts'
import { hideLeaves, inJson, signStatement, statementOf } from '../support/log/serve.ts'
import { addLater, dayAgo, expectFinding, OTHER, tellStory } from '../support/log/story.ts'

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

it('counts the keys that have not ended', async () => {
  await using story = await tellStory()
  for (let n = 0; n < 2; n++) await appendKeys(story.log, story.agent)
  story.log.leaves.splice(
    story.log.leaves.findLastIndex(({ leaf }) => leaf?.kind === 'agent_key' && leaf.rev === 2),
    1,
  )
  await sign(story.log)
  expect((await story.verify()).out).toMatch(/^keys +ok +4 keys, active: 3$/m)
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
  story.service.tamper = hideLeaves('"seq":77,')
  expectFinding(await story.verify(), 'events: seq 77 missing')
  story.service.tamper = hideLeaves(`"day":"${dayAgo(4)}"`)
  expectFinding(await story.verify(), /day \S+: its rows count 0 events, but the log has 32 of this day/)
  story.service.tamper = hideLeaves(`"day":"${dayAgo(1)}"`, `"day":"${dayAgo(2)}"`)
  expectFinding(await story.verify(), /day \S+ is over, but not in the log/)
  story.service.tamper = hideLeaves('"kind":"agent"')
  expectFinding(await story.verify('--all'), /the list of \S+ omits leaf 1, 384/)
})

it('finds bundles that do not lead to the signed root', async () => {
  await using story = await tellStory()
  story.service.tamper = async (path, response) => {
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (path.endsWith('/tile/entries/000')) bytes[bytes.length - 2] = 1 + (bytes.at(-2) ?? 0)
    return new Response(bytes, response)
  }
  expectFinding(await story.verify('--all'), 'the leaves do not result in the signed root')
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
  const platform = { ...shared, kind: 'platform', platform: 'bystander', rev: 1, operator } as const
  for (const state of ['registered', 'trusted'] as const) append(story.log, { ...platform, state, by: [] })
  await sign(story.log)
  expectFinding(
    await story.verify('--all'),
    `operator ${operator}: rev 2 missing`,
    'platform bystander: rev 1 twice',
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
