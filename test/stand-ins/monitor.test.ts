import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  append,
  appendAgent,
  appendBytes,
  appendEvents,
  appendKeys,
  sign,
  type TestLog,
} from '../support/log/log.ts'
import { hideLeaves, inJson } from '../support/log/serve.ts'
import { addLater, REG, run, type Story, tellStory } from '../support/log/story.ts'

/** Runs the monitor once; returns its status, and its findings. */
async function watch({ service, state }: Story, ...args: string[]) {
  const { status, out, err } = await run('monitor', service.url, '--state', state, ...args)
  const findings = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  for (const { at, registry } of findings) expect([Date.parse(at) > 0, registry]).toEqual([true, service.url])
  return { status, err, findings: findings.map(({ check, finding }) => `${check}: ${finding}`) }
}

const quiet = (err: string) => ({ status: 0, findings: [], err: expect.stringContaining(err) })
const bundlesOf = ({ service }: Story) =>
  service.requested.filter((path) => path.includes('/tile/entries/')).length

it('reads only new leaves, and a state that does not grow with them', async () => {
  await using story = await tellStory()
  expect(await watch(story)).toEqual(quiet('verified: 385 leaves, new: 385'))
  const { length } = readFileSync(story.state, 'utf8')
  story.service.requested.length = 0
  await story.goOn(300)
  expect(await watch(story)).toEqual(quiet('685 leaves, new: 300'))
  expect(bundlesOf(story)).toBe(3) // the last one, a new one, and one at random
  await story.goOn(3)
  await appendKeys(story.log, story.agent)
  await sign(story.log)
  expect(await watch(story)).toEqual(quiet('691 leaves, new: 6'))
  expect(readFileSync(story.state, 'utf8').length).toBeLessThan(length + 2_000)
})

it('finds numbers that are doubled or missing, once', async () => {
  await using story = await tellStory()
  await watch(story)
  await appendEvents(story.log, story.agent, story.agent.events.length)
  addLater(story.agent, 2)
  await appendEvents(story.log, story.agent, story.agent.events.length)
  append(story.log, { v: 1, kind: 'agent', reg: REG, rev: 2, c: 'A'.repeat(43) })
  await sign(story.log)
  expect(await watch(story)).toMatchObject({
    status: 1,
    findings: [
      `leaves: leaf 385: ${REG}: events: seq 136 twice, or out of order`,
      `leaves: leaf 386: ${REG}: events: seq 138 follows 136`,
      `leaves: leaf 387: ${REG}: agent: rev 2 twice, or out of order`,
    ],
  })
  expect(await watch(story)).toMatchObject({ status: 0, findings: [] })
})

it('finds a rewritten bundle and a rewritten log, and keeps the state as evidence', async () => {
  await using story = await tellStory()
  await watch(story)
  await story.goOn(8)
  const before = readFileSync(story.state, 'utf8')
  const [one, two] = [story.log.leaves[388], story.log.leaves[389]] as TestLog['leaves']
  Object.assign(story.log.leaves, { 388: two, 389: one })
  const signed = story.log.head
  story.log.head = { ...signed }
  expect((await watch(story)).status).toBe(1)
  expect(readFileSync(story.state, 'utf8')).toBe(before)
  story.log.leaves[100] = story.log.leaves[101] as TestLog['leaves'][0]
  await sign(story.log)
  expect(await watch(story)).toMatchObject({
    status: 1,
    findings: expect.arrayContaining([expect.stringMatching(/^state: the log was rewritten/)]),
  })
  expect(readFileSync(story.state, 'utf8')).toBe(before)
})

it('finds a restore once, unless it is accepted, and judges numbers without what it has declared void', async () => {
  for (const isAccepted of [false, true]) {
    await using story = await tellStory()
    await story.goOn(5)
    await appendAgent(story.log, story.agent, 3)
    await sign(story.log)
    await watch(story)
    story.agent.events = story.agent.events.slice(0, 136)
    append(story.log, { v: 1, kind: 'restore', from: 385, to: 391, at: new Date().toISOString() })
    addLater(story.agent, 2)
    await appendEvents(story.log, story.agent, 137)
    await appendAgent(story.log, story.agent, 4)
    await sign(story.log)
    const args = isAccepted ? ['--accept-restore', '385-391'] : []
    const finding = expect.stringMatching(/^restores: a restore has declared leaves 385 to 390 void/)
    const found = { status: isAccepted ? 0 : 1, findings: isAccepted ? [] : [finding] }
    expect(await watch(story, ...args)).toMatchObject(found)
    await story.goOn(2)
    expect(await watch(story)).toMatchObject({ status: 0, findings: [] })
    story.service.tamper = inJson('info.json', (info) => ({ ...info, restores: [] }))
    expect((await run('monitor', story.service.url)).out).toMatch(/does not announce restore leaf 391/)
  }
})

it('reports malformed and unknown leaves, and another name of the log, like verify --all', async () => {
  await using story = await tellStory()
  const first = story.log.leaves.shift() as TestLog['leaves'][0]
  story.log.leaves.unshift(story.log.leaves[0] as TestLog['leaves'][0])
  await sign(story.log)
  const findings = [
    'leaves: leaf 0 does not name the log',
    `leaves: the log names itself nothing, but its head is of ${story.log.origin}`,
  ]
  expect((await watch(story)).findings).toEqual(expect.arrayContaining(findings))
  expect((await story.verify('--all')).out).toContain(findings[0]?.replace('leaves: ', ''))
  story.log.leaves[0] = first
  appendBytes(story.log, `{"v":2,"kind":"event","reg":"${REG}","seq":1}`)
  appendBytes(story.log, '{"kind":"event","v":1}')
  await sign(story.log)
  expect(await watch({ ...story, state: `${story.state}.new` })).toMatchObject({
    findings: ['leaves: leaf 386 is not a valid leaf'],
    err: expect.stringContaining('note: 1 leaf of 2 event are unknown'),
  })
})

it('trusts a key that the log has added', async () => {
  await using story = await tellStory()
  const key = { crv: 'Ed25519', kty: 'OKP', x: 'A'.repeat(43) } as const
  append(story.log, { v: 1, kind: 'key', use: 'log', kid: 'A'.repeat(43), key, state: 'added' })
  await sign(story.log)
  await watch(story)
  expect(JSON.parse(readFileSync(story.state, 'utf8')).log.vkeys).toHaveLength(2)
})

it('finds a leaf of a key that the list of its agent omits', async () => {
  await using story = await tellStory()
  await watch(story)
  await appendKeys(story.log, story.agent)
  await sign(story.log)
  story.service.tamper = hideLeaves('"state":"revoked"')
  const findings = [`leaves: the list of agents/${REG} omits leaf 386`]
  expect(await watch(story)).toMatchObject({ status: 1, findings })
})

it('keeps its last trusted key, also if the log removes it', async () => {
  await using story = await tellStory()
  await watch(story)
  const { vkeys } = JSON.parse(readFileSync(story.state, 'utf8')).log
  const publicKey = vkeys[0].split('+').slice(2).join('+')
  const key = {
    crv: 'Ed25519',
    kty: 'OKP',
    x: Buffer.from(publicKey, 'base64').subarray(1).toString('base64url'),
  } as const
  append(story.log, { v: 1, kind: 'key', use: 'log', kid: 'A'.repeat(43), key, state: 'removed' })
  await sign(story.log)
  for (let n = 0; n < 2; n++) expect((await watch(story)).status).toBe(0)
  expect(JSON.parse(readFileSync(story.state, 'utf8')).log.vkeys).toEqual(vkeys)
})

it('exits with 2 if the log cannot be read, and rejects a file that is not its state', async () => {
  await using story = await tellStory()
  story.service.tamper = (path) => (path.includes('info.json') ? new Response('{}') : null)
  expect(await watch(story)).toMatchObject({ status: 2, findings: [] })
  story.service.tamper = () => null
  await story.verify('--state', story.state)
  expect(await watch(story)).toMatchObject({
    status: 2,
    err: expect.stringContaining('not written by this command'),
  })
})
