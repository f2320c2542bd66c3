import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import { encodeBase64Url } from '../../src/transparency/bytes.ts'
import { append, appendEvents, newTestLog, sign, type TestLog } from '../support/log/log.ts'
import { inJson } from '../support/log/serve.ts'
import { addLater, event, expectFinding, REG, run, tellStory } from '../support/log/story.ts'

const POLICY = 'policy.txt'

it('finds a rewritten or shrunk log by its state file', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const before = readFileSync(story.state, 'utf8')
  story.agent.events[20] = { ...event(story, 21), metadata: { forged: true } }
  story.log.leaves[260] = { ...(story.log.leaves[261] as TestLog['leaves'][0]) }
  await sign(story.log)
  expectFinding(
    await story.verify('--state', story.state),
    /the log was rewritten: its first 385 leaves are not those that were signed on/,
  )
  story.log.leaves.length = 300
  await sign(story.log)
  expectFinding(
    await story.verify('--state', story.state),
    /the log has shrunk: 385 leaves were signed on \S+, now 300/,
  )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
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
  const listed = named.map(({ vkey }) => ({ name: 'any', vkey }))
  story.service.tamper = inJson('info.json', (info) => ({ ...info, witnesses: listed }))
  const missing = 'not cosigned by any witness of witness.example/w1, other.example/w2'
  expect(await story.verify('--state', story.state)).toMatchObject({
    status: 2,
    out: expect.stringContaining(missing),
  })
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

it('rejects the head of another log or key than the pinned one', async () => {
  await using story = await tellStory()
  const [other, foreign] = [await newTestLog(), await newTestLog('elsewhere.example/log')]
  expectFinding(
    await story.verify('--vkey', other.vkey),
    `not signed by a trusted key of the log; the registry names ${story.log.vkey}: ask`,
  )
  expectFinding(await story.verify('--vkey', foreign.vkey), 'unknown_log')
  expect(await story.verify('--vkey', story.log.vkey)).toMatchObject({ status: 0, err: '' })
  const { note } = story.log.head
  story.log.head.note = note.replace('385', '384')
  expectFinding(await story.verify('--vkey', story.log.vkey), 'bad_signature')
  story.log.head.note = 'nothing'
  expectFinding(await story.verify(), '(malformed)')
})

/** Drops the events after 136, logs the restore, and continues with two new events. */
async function restore({ log, agent }: Awaited<ReturnType<typeof tellStory>>, from: number, to: number) {
  agent.events = agent.events.slice(0, 136)
  append(log, { v: 1, kind: 'restore', from, to, at: new Date().toISOString() })
  addLater(agent, 2)
  await appendEvents(log, agent, 137)
  await sign(log)
}

it('fails until a restore is accepted, then ignores the leaves that it declared void', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  await story.goOn(5)
  await story.verify('--state', story.state)
  await restore(story, 385, 390)
  const before = readFileSync(story.state, 'utf8')
  for (const other of [[], ['--accept-restore', '384-390']])
    expectFinding(
      await story.verify('--state', story.state, ...other),
      /^state +FAILED +a restore has declared leaves 385 to 389 void: .* --accept-restore 385-390$/m,
    )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
  const accepted = await story.verify('--state', story.state, '--accept-restore', '385-390')
  expect(accepted).toMatchObject({ status: 0, err: '' })
  const found = await story.verify('--state', story.state, '--all')
  expect(found.out).toContain('note: RESTORE: leaves 385 to 389 are no longer valid')
  expect(found.out).toMatch(/the 393 leaves seen on \S+ are unchanged, 0 more/)
  expect(found.out).toMatch(/RESTORE: leaf 390 of \S+ declares leaves 385 to 389 void/)
  expect(found).toMatchObject({ status: 0, err: '' })
  story.service.tamper = inJson('info.json', (info) => ({ ...info, restores: [] }))
  expectFinding(
    await story.verify('--all'),
    'events: seq 137 to 138 twice',
    'the service does not announce restore leaf 390',
  )
  story.service.tamper = inJson('info.json', (info) => ({
    ...info,
    restores: [{ index: 4, leaf: new TextDecoder().decode(story.log.leaves[4]?.bytes) }],
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

it('names a new origin, and accepts it if it continues the old log', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const { log, service } = story
  const next = await newTestLog('registry.example/log/2')
  next.agents = log.agents
  next.leaves = log.leaves.slice(0, 385)
  append(next, { ...ownOf(next), previous: log.head.note })
  next.previous = [{ origin: log.origin, index: 385 }]
  await sign(next)
  service.log = next
  expectFinding(
    await story.verify('--state', story.state),
    `the log continues under a new origin: registry.example/log/2. The previous one was registry.example/log.`,
    `--vkey ${next.vkey}`,
  )
  const found = await story.verify('--state', story.state, '--vkey', next.vkey)
  expect(found.out).toContain('it continues registry.example/log, which ended before leaf 385')
  expect(found).toMatchObject({ status: 0, err: '' })
  expect(await story.verify('--state', story.state, '--all')).toMatchObject({ status: 0, err: '' })
})

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

it('trusts a key that the log has added, once it has read its leaf', async () => {
  await using story = await tellStory()
  const next = await newTestLog()
  const x = Buffer.from(next.signer.verifier.publicKey).toString('base64url')
  const key = { crv: 'Ed25519', kty: 'OKP', x } as const
  append(story.log, { v: 1, kind: 'key', use: 'log', kid: 'A'.repeat(43), key, state: 'added' })
  await sign(story.log)
  const seen = await story.verify('--state', story.state, '--all')
  expect(seen.out).toContain(`note: a key of the log was added: ${next.vkey}`)
  story.log.signer = next.signer
  await sign(story.log)
  expect(await story.verify('--state', story.state)).toMatchObject({ status: 0, err: '' })
})

it('trusts only the newest key, whatever the order of added and removed keys in a batch', async () => {
  await using story = await tellStory()
  const { log } = story
  const next = await newTestLog()
  const move = ({ signer }: typeof log, state: 'added' | 'removed') => {
    const key = { crv: 'Ed25519', kty: 'OKP', x: encodeBase64Url(signer.verifier.publicKey) } as const
    append(log, { v: 1, kind: 'key', use: 'log', kid: 'A'.repeat(43), key, state })
  }
  const trusted = async (vkey: string) => {
    await sign(log)
    expect(await story.verify('--state', story.state, '--all', '--vkey', vkey)).toMatchObject({ status: 0 })
    return JSON.parse(readFileSync(story.state, 'utf8')).vkeys
  }
  const old = { ...log }
  move(old, 'added')
  expect(await trusted(old.vkey)).toEqual([old.vkey])
  move(old, 'removed')
  move(next, 'added')
  log.signer = next.signer
  expect(await trusted(next.vkey)).toEqual([next.vkey])
  move(next, 'removed')
  move(old, 'added')
  log.signer = old.signer
  expect(await trusted(old.vkey)).toEqual([old.vkey])
})

it('rejects the state file of another registry', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  writeFileSync(
    story.state,
    readFileSync(story.state, 'utf8').replace(/"origin": ".*"/, '"origin": "other.example/log"'),
  )
  expectFinding(
    await story.verify('--state', story.state),
    /the log is registry\.example\/log, the state is of other\.example\/log.* of another registry\?/,
  )
})
