import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import { append, appendEvents, newTestLog, sign, type TestLog } from '../support/log/log.ts'
import { inJson } from '../support/log/serve.ts'
import { addLater, expectFinding, REG, run, tellStory } from '../support/log/story.ts'

const POLICY = 'policy.txt'

it('finds a shrunk log by its state file, and rejects the file of another registry', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const before = readFileSync(story.state, 'utf8')
  story.log.leaves.length = 300
  await sign(story.log)
  expectFinding(
    await story.verify('--state', story.state),
    /the log has shrunk: 385 leaves were signed on \S+, now 300/,
  )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
  writeFileSync(story.state, before.replace(/"origin": ".*"/, '"origin": "other.example/log"'))
  expectFinding(
    await story.verify('--state', story.state),
    /the log is registry\.example\/log, the state is of other\.example\/log.* of another registry\?/,
  )
})

it('requires the witnesses of a policy, and rejects their invalid signatures', async () => {
  await using story = await tellStory()
  const witness = witnessKey('witness.example/w1', Buffer.alloc(32, 7))
  const policy = join(story.dir, POLICY)
  writeFileSync(policy, `log ${story.log.vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`)
  expectFinding(await story.verify('--witness', policy), 'too_few_witnesses')
  story.log.witnesses = [witness]
  const { note } = await sign(story.log)
  const seen = await story.verify('--witness', policy)
  expect(seen.out).toMatch(/leaves: 385, cosigned by w1/)
  expect(seen).toMatchObject({ status: 0, err: '' })
  story.log.head.note = note.slice(0, -30) + (note.at(-30) === 'A' ? 'B' : 'A') + note.slice(-29)
  expectFinding(await story.verify('--witness', policy), 'bad_signature')
})

it('asks for one witness of those that the registry names, and remembers them', async () => {
  await using story = await tellStory()
  const plain = await story.verify('--state', story.state)
  expect(plain.out).toMatch(/leaves: 385, not witnessed/)
  expect(plain).toMatchObject({ status: 0, err: '' })
  const witness = witnessKey('witness.example/w1', Buffer.alloc(32, 7))
  const named = [witness, witnessKey('other.example/w2', Buffer.alloc(32, 8))]
  const missing = 'not cosigned by any witness of witness.example/w1'
  for (const count of [1, 2]) {
    const listed = named.slice(0, count).map(({ vkey }) => ({ name: 'any', vkey }))
    story.service.tamper = inJson('info.json', (info) => ({ ...info, witnesses: listed }))
    expect(await story.verify('--state', story.state)).toMatchObject({
      status: 2,
      out: expect.stringContaining(missing),
    })
  }
  story.log.witnesses = [witness]
  await sign(story.log)
  const seen = await story.verify('--json', '--state', story.state)
  expect(JSON.parse(seen.out)).toMatchObject({ verdict: 'verified', witnesses: ['witness.example/w1'] })
  const other = witnessKey('fake.example/w3', Buffer.alloc(32, 9))
  for (const named of [[], [other]]) {
    story.log.witnesses = named
    await sign(story.log)
    const listed = named.map(({ vkey }) => ({ name: 'any', vkey }))
    story.service.tamper = inJson('info.json', (info) => ({ ...info, witnesses: listed }))
    for (const _ of ['first', 'again'])
      expect(await story.verify('--state', story.state)).toMatchObject({
        status: 2,
        out: expect.stringContaining(missing),
      })
  }
})

it('compares heads from elsewhere with the log, and finds that two were signed', async () => {
  await using story = await tellStory()
  const write = (name: string, text: string) => {
    writeFileSync(join(story.dir, name), text)
    return join(story.dir, name)
  }
  await story.verify('--save', join(story.dir, 'saved'))
  const [proof = ''] = globSync('saved/*.tlog-proof', { cwd: story.dir })
  const response = await fetch(`${story.service.url}/api/v1/verify/${REG}/token`)
  const files = [
    write('checkpoint', story.log.head.note),
    join(story.dir, proof),
    write('token.json', await response.text()),
  ]
  await story.goOn(5)
  const heads = (...more: string[]) => run(story.service.url, '--heads', ...files, ...more)
  expect(await heads()).toMatchObject({ status: 0, out: expect.stringContaining('3 heads from elsewhere') })

  // The log has the key of the token, also when it is not published any more.
  story.service.tamper = inJson('jwks.json', () => ({ keys: [] }))
  expect(await heads()).toMatchObject({ status: 0 })

  const foreign = await newTestLog()
  foreign.leaves = story.log.leaves.slice(0, 300)
  await sign(foreign)
  const forged = await heads(write('forged', foreign.head.note), write('none', 'nothing'))
  expect(forged).toMatchObject({
    status: 2,
    out: expect.stringContaining('head 4 proves nothing (unsigned)'),
  })
  expect(forged.out).toContain('head 5 proves nothing (malformed)')

  story.log.leaves[260] = { ...(story.log.leaves[261] as TestLog['leaves'][0]) }
  await sign(story.log)
  const split =
    /^heads +FAILED +head 1: the registry has signed two logs that differ in their first 385 leaves/m
  expectFinding(await heads(), split, /head 2: .* two logs/, /head 3: .* two logs/)
  story.log.leaves.length = 300
  await sign(story.log)
  expect(await heads()).toMatchObject({
    status: 2,
    out: expect.stringContaining('head 1 has 385 leaves, the log 300'),
  })
})

it('accepts a restore only with its exact range, if the service announces its leaf', async () => {
  await using story = await tellStory()
  const { log, agent, service } = story
  await story.goOn(5)
  await story.verify('--state', story.state)
  agent.events = agent.events.slice(0, 136)
  append(log, { v: 1, kind: 'restore', from: 385, to: 390, at: new Date().toISOString() })
  addLater(agent, 2)
  await appendEvents(log, agent, 137)
  await sign(log)
  const before = readFileSync(story.state, 'utf8')
  expectFinding(
    await story.verify('--state', story.state, '--accept-restore', '384-390'),
    /^state +FAILED +a restore has declared leaves 385 to 389 void: .* --accept-restore 385-390$/m,
  )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
  service.tamper = inJson('info.json', (info) => ({ ...info, restores: [] }))
  expectFinding(
    await story.verify('--all'),
    'events: seq 137 to 138 twice',
    'the service does not announce restore leaf 390',
  )
  service.tamper = inJson('info.json', (info) => ({
    ...info,
    restores: [{ index: 4, leaf: new TextDecoder().decode(log.leaves[4]?.bytes) }],
  }))
  expectFinding(await story.verify(), 'leaf 4 is not a valid leaf for restore')
})

it('rejects a restore that declares leaves after itself void', async () => {
  await using story = await tellStory()
  append(story.log, { v: 1, kind: 'restore', from: 380, to: 400, at: new Date().toISOString() })
  await sign(story.log)
  expectFinding(await story.verify(), 'leaf 385 declares later ones void')
})

/** The first leaf of a log, without its previous one. */
const ownOf = ({ origin }: TestLog) =>
  ({ v: 1, kind: 'log', origin, spec: 'https://registry.example/transparency' }) as const

it('rejects a new origin that does not contain or name the old log, and names lost leaves', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const before = readFileSync(story.state, 'utf8')
  const { log, service } = story
  const next = await newTestLog('registry.example/log/2')
  const follow = async (leaves: TestLog['leaves'], previous: string) => {
    next.agents = log.agents
    next.leaves = [...leaves]
    append(next, { ...ownOf(next), previous })
    next.previous = [{ origin: log.origin, index: leaves.length }]
    await sign(next)
    service.log = next
    return story.verify('--state', story.state, '--vkey', next.vkey)
  }
  const forged = await newTestLog()
  forged.leaves = log.leaves
  await sign(forged)
  expectFinding(
    await follow(log.leaves, forged.head.note),
    'the last head of registry.example/log is not valid (unsigned)',
  )
  const swapped = [...log.leaves]
  ;[swapped[8], swapped[9]] = [swapped[9], swapped[8]] as [TestLog['leaves'][0], TestLog['leaves'][0]]
  expectFinding(await follow(swapped, log.head.note), 'the log was rewritten: its first 385 leaves')
  next.previous = []
  expectFinding(
    await story.verify('--state', story.state, '--vkey', next.vkey),
    'the log registry.example/log/2 does not state that it continues registry.example/log',
  )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
  const lost = await follow(log.leaves.slice(0, 370), log.head.note)
  expect(lost.out).toContain('note: LOST: leaves 370 to 384, which registry.example/log had signed')
})
