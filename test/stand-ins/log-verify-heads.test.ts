import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import { encodeBase64Url } from '../../src/transparency/bytes.ts'
import { append, appendBytes, appendEvents, newTestLog, sign, type TestLog } from '../support/log/log.ts'
import { inJson, OWNER_KEY } from '../support/log/serve.ts'
import { addLater, event, expectFinding, REG, run, tellStory } from '../support/log/story.ts'

const POLICY = 'policy.txt'

it('finds a rewritten log, a shrunk one, and one that shows others another tree, by what it saw before', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const before = readFileSync(story.state, 'utf8')
  story.agent.events[20] = { ...event(story, 21), metadata: { forged: true } }
  story.log.leaves[260] = { ...(story.log.leaves[261] as TestLog['leaves'][0]) }
  await sign(story.log)
  expectFinding(
    await story.verify('--state', story.state),
    /FAIL {2}state {8}the log was rewritten: its first 381 leaves are not those that were signed on/,
  )
  story.log.leaves.length = 300
  await sign(story.log)
  expectFinding(
    await story.verify('--state', story.state),
    /the log has shrunk: 381 leaves were signed on \S+, now 300/,
  )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
})

it('asks for the witnesses of a policy, and refuses their bad lines', async () => {
  await using story = await tellStory()
  const witness = witnessKey('witness.example/w1', Buffer.alloc(32, 7))
  const policy = join(story.dir, POLICY)
  writeFileSync(policy, `log ${story.log.vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`)
  expectFinding(await story.verify('--witness', policy), 'FAIL  checkpoint   too few witnesses have seen it')
  story.log.witnesses = [witness]
  const { note } = await sign(story.log)
  const seen = await story.verify('--witness', policy)
  expect(seen.out).toMatch(/has signed 381 leaves; 1 of 1 witness saw it: w1 \d s ago/)
  expect(seen).toMatchObject({ status: 0, err: '' })
  story.log.head.note = note.slice(0, -30) + (note.at(-30) === 'A' ? 'B' : 'A') + note.slice(-29)
  expectFinding(await story.verify('--witness', policy), 'a signature does not verify')
})

it('refuses the head of another log, or of another key, than the pinned one', async () => {
  await using story = await tellStory()
  const [other, foreign] = [await newTestLog(), await newTestLog('elsewhere.example/log')]
  expectFinding(
    await story.verify('--vkey', other.vkey),
    `FAIL  checkpoint   not signed by a pinned key of the log; the service names ${story.log.vkey}: ask`,
  )
  expectFinding(
    await story.verify('--vkey', foreign.vkey),
    'the checkpoint is of the log registry.example/log, not of elsewhere.example/log',
  )
  expect(await story.verify('--vkey', story.log.vkey)).toMatchObject({ status: 0, err: '' })
  const { note } = story.log.head
  story.log.head.note = note.replace('381', '380')
  expectFinding(await story.verify('--vkey', story.log.vkey), 'a signature does not verify')
  story.log.head.note = 'nothing'
  expectFinding(await story.verify(), 'not written as it must be')
})

/** Sets the service back to where it stood at event 130, and lets it go on from there. */
async function restore({ log, agent }: Awaited<ReturnType<typeof tellStory>>, from: number, to: number) {
  agent.events = agent.events.slice(0, 136)
  append(log, { v: 1, kind: 'restore', from, to, at: new Date().toISOString() })
  addLater(agent, 2)
  await appendEvents(log, agent, 137)
  await sign(log)
}

it('passes over what a restore declared void, in the same tree as before', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  await story.goOn(5)
  await story.verify('--state', story.state)
  await restore(story, 381, 386)
  const found = await story.verify('--state', story.state, '--all')
  expect(found.out).toContain('note  RESTORE: leaves 381 to 385 count no more')
  expect(found.out).toMatch(/the 386 leaves seen on \S+ are unchanged, 3 more/)
  expect(found.out).toMatch(/RESTORE: leaf 386 of \S+ declares leaves 381 to 385 void/)
  expect(found).toMatchObject({ status: 0, err: '' })
  story.service.tamper = inJson('info.json', (info) => ({ ...info, restores: [] }))
  expectFinding(
    await story.verify('--all'),
    'events: seq 137 to 138 twice',
    'the service does not tell of restore leaf 386',
  )
  story.service.tamper = inJson('info.json', (info) => ({ ...info, restores: [{ index: 4 }] }))
  expectFinding(await story.verify(), 'leaf 4 is no restore leaf')
})

it('names a new origin, and takes it for the old log when it goes on from there', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const { log, service } = story
  const next = await newTestLog('registry.example/log/2')
  const own = {
    v: 1,
    kind: 'log',
    origin: next.origin,
    spec: 'https://registry.example/transparency',
  } as const
  next.agents = log.agents
  next.leaves = log.leaves.slice(0, 381)
  append(next, { ...own, previous: log.head.note })
  next.previous = [{ origin: log.origin, index: 381 }]
  await sign(next)
  service.log = next
  expectFinding(
    await story.verify('--state', story.state),
    `the log goes on under a new origin: registry.example/log/2. It was registry.example/log.`,
    `--vkey ${next.vkey}`,
  )
  const found = await story.verify('--state', story.state, '--vkey', next.vkey)
  expect(found.out).toContain('ok    state        it was registry.example/log before, up to leaf 381')
  expect(found).toMatchObject({ status: 0, err: '' })
  expect(await story.verify('--state', story.state, '--all')).toMatchObject({ status: 0, err: '' })
})

it('does not take a new origin for the old log that has not all of it, or was not named by it', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  const before = readFileSync(story.state, 'utf8')
  const { log, service } = story
  const next = await newTestLog('registry.example/log/2')
  const own = {
    v: 1,
    kind: 'log',
    origin: next.origin,
    spec: 'https://registry.example/transparency',
  } as const
  const follow = async (leaves: TestLog['leaves'], previous: string) => {
    next.agents = log.agents
    next.leaves = [...leaves]
    append(next, { ...own, previous })
    next.previous = [{ origin: log.origin, index: leaves.length }]
    await sign(next)
    service.log = next
    return story.verify('--state', story.state, '--vkey', next.vkey)
  }
  const forged = await newTestLog()
  forged.leaves = log.leaves
  await sign(forged)
  expectFinding(await follow(log.leaves, forged.head.note), 'not signed by a pinned key of the log')
  const swapped = [...log.leaves]
  ;[swapped[8], swapped[9]] = [swapped[9], swapped[8]] as [TestLog['leaves'][0], TestLog['leaves'][0]]
  expectFinding(await follow(swapped, log.head.note), 'the log of before was rewritten: its first 381 leaves')
  next.previous = []
  expectFinding(
    await story.verify('--state', story.state, '--vkey', next.vkey),
    'the log registry.example/log/2 does not say that it was registry.example/log before',
  )
  expect(readFileSync(story.state, 'utf8')).toBe(before)
  const lost = await follow(log.leaves.slice(0, 370), log.head.note)
  expect(lost.out).toContain('note  LOST: leaves 370 to 380, which registry.example/log had signed')
})

it('trusts a key that the log itself has added, once it has read it there', async () => {
  await using story = await tellStory()
  const next = await newTestLog()
  const x = Buffer.from(next.signer.verifier.publicKey).toString('base64url')
  const key = { crv: 'Ed25519', kty: 'OKP', x } as const
  append(story.log, { v: 1, kind: 'key', use: 'log', kid: 'A'.repeat(43), key, state: 'added' })
  await sign(story.log)
  const seen = await story.verify('--state', story.state, '--all')
  expect(seen.out).toContain(`note  the log has added a key of its own: ${next.vkey}`)
  story.log.signer = next.signer
  await sign(story.log)
  expect(await story.verify('--state', story.state)).toMatchObject({ status: 0, err: '' })
})

it('trusts the newest key alone, in whatever order a batch says that one went and one came', async () => {
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

it('tells of leaves that it does not know, and finds those that are not written as leaves are', async () => {
  await using story = await tellStory()
  appendBytes(story.log, `{"v":2,"kind":"event","reg":"${REG}","seq":1}`)
  appendBytes(story.log, '{"v":1,"kind":"receipt"}')
  await sign(story.log)
  const found = await story.verify('--all')
  expect(found.out).toContain('1 leaf of 2 event mean nothing')
  expect(found).toMatchObject({ status: 0, err: '' })
  appendBytes(story.log, '{"kind":"event","v":1}')
  await sign(story.log)
  expectFinding(await story.verify('--all'), 'leaf 383 is not written as a leaf is')
})

it('takes hidden metadata of a redacted event, and of no other', async () => {
  await using story = await tellStory()
  event(story, 132).redacted = true
  event(story, 110).redacted = true
  expectFinding(
    await story.verify(),
    'event 132 is shown without its metadata, though no leaf says that it was redacted',
  )
  const at = new Date().toISOString()
  for (const seq of [110, 132])
    append(story.log, { v: 1, kind: 'redaction', reg: REG, seq, reason: 'law', at })
  await sign(story.log)
  const found = await story.verify()
  expect(found.out).toContain('2 redactions')
  expect(found).toMatchObject({ status: 0, err: '' })
  story.service.tamper = inJson('/activity', (body) => ({ ...body, operator_status: 'suspended' }))
  expect(await story.verify()).toMatchObject({ status: 0 })
})

it('saves proofs that verify without the service', async () => {
  await using story = await tellStory()
  const dir = join(story.dir, 'proofs')
  const { log } = story
  const saved = await story.verify('--save', dir)
  expect(saved.out).toContain(`note  145 proofs in ${dir}`)
  await story.service.stop()
  const file = join(dir, readdirSync(dir).find((name) => /event-134-.*tlog-proof$/.test(name)) ?? '')
  const found = await run('--offline', file, '--vkey', log.vkey)
  expect(found.out).toContain(`"reg":"${REG}","seq":134`)
  expect(found.out).toMatch(/ok {4}opening {6}\{"id":/)
  expect(found).toMatchObject({ status: 0, err: '' })
  const opening = file.replace('.tlog-proof', '.opening.json')
  writeFileSync(opening, readFileSync(opening, 'utf8').replace('"facts": "{', '"facts": " {'))
  expectFinding(await run('--offline', file, '--vkey', log.vkey), 'does not open this leaf (other_facts)')
  const proof = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    proof.replace(/index (\d+)/, (_, index) => `index ${Number(index) - 1}`),
  )
  expectFinding(await run('--offline', file, '--vkey', log.vkey), 'the leaf does not lead to the signed root')
  expectFinding(
    await run('--offline', file, '--vkey', (await newTestLog()).vkey),
    'not signed by a pinned key',
  )
  expect(await run('--offline', join(dir, 'none'), '--vkey', log.vkey)).toMatchObject({ status: 2 })
})

it('ends with 2 where it cannot find out', async () => {
  await using story = await tellStory()
  const { service } = story
  service.tamper = inJson('/activity', () => ({ rows: [] }))
  expect(await story.verify()).toMatchObject({ status: 2, err: expect.stringContaining('cannot be judged') })
  service.tamper = (path) => (path.includes('/tile/') ? new Response('gone', { status: 500 }) : null)
  expect(await story.verify()).toMatchObject({ status: 2, err: expect.stringContaining('status 500') })
  service.tamper = (path) => (path.includes('/log/') ? new Response(null, { status: 404 }) : null)
  expect(await story.verify()).toMatchObject({ status: 2, err: 'this service has no transparency log\n' })
  writeFileSync(story.state, '{}')
  service.tamper = () => null
  expect(await story.verify('--state', story.state)).toMatchObject({
    status: 2,
    err: expect.stringContaining('not what an earlier run has written'),
  })
  expect(await run(`http://127.0.0.1:${await freePort()}`, REG)).toMatchObject({
    status: 2,
    err: expect.stringMatching(/no answer from http:\/\/127.0.0.1:\d+ \(.*ECONNREFUSED/),
  })
})

it('does not take the state file of another registry for a new origin', async () => {
  await using story = await tellStory()
  await story.verify('--state', story.state)
  writeFileSync(
    story.state,
    readFileSync(story.state, 'utf8').replace(/"origin": ".*"/, '"origin": "other.example/log"'),
  )
  expectFinding(
    await story.verify('--state', story.state),
    /FAIL {2}state {8}the log is registry\.example\/log, the state file is of other\.example\/log.* of another registry\?/,
  )
})

it('ends with 1 where something does not hold, also when the rest cannot be found out', async () => {
  await using story = await tellStory()
  event(story, 130).source = 'peer'
  story.service.tamper = (path) => (path.includes('/history') ? new Response(null, { status: 500 }) : null)
  const found = await story.verify()
  expect(found).toMatchObject({ status: 1, err: expect.stringContaining('status 500') })
})

it('waits when it is over the limit, as long as it is told', async () => {
  await using story = await tellStory()
  let refused = 0
  story.service.tamper = (path) =>
    path.includes('/activity') && refused++ < 2
      ? new Response(null, { status: 429, headers: { 'Retry-After': '0' } })
      : null
  expect(await story.verify()).toMatchObject({ status: 0, err: '' })
  expect(refused).toBe(3)
})

it('has no more than six requests under way, and sends the key to the API alone', async () => {
  const story = await tellStory()
  let [now, most] = [0, 0]
  const keys: string[] = []
  await using between = await startBetween(story.service.url, (path, authorization) => {
    if (authorization) keys.push(path)
    now += 1
    most = Math.max(most, now)
    return () => {
      now -= 1
    }
  })
  expect((await run(between.url, REG, '--all', '--key', OWNER_KEY)).status).toBe(0)
  expect(most).toBeLessThanOrEqual(6)
  expect(keys.length).toBeGreaterThan(3)
  expect(keys.every((path) => path.startsWith('/api/v1/'))).toBe(true)
  await story[Symbol.asyncDispose]()
})

/** A service in front of another that counts what is under way. */
async function startBetween(target: string, begin: (path: string, authorization?: string) => () => void) {
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    const end = begin(url, headers.authorization)
    const answer = await fetch(target + url, {
      headers: headers.authorization ? { Authorization: headers.authorization } : {},
    })
    const body = Buffer.from(await answer.arrayBuffer())
    end()
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' }).end(body)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}
