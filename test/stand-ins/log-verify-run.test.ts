import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventsCheck, historyCheck, verifyAgent, wholeLogCheck } from '@agentreg/verify'
import { expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import { appendBytes, newTestLog, sign } from '../support/log/log.ts'
import { inJson, NOT_FOUND, OWNER_KEY } from '../support/log/serve.ts'
import { event, expectFinding, REG, run, tellStory } from '../support/log/story.ts'

it('reports unknown leaves, and finds malformed ones', async () => {
  await using story = await tellStory()
  appendBytes(story.log, `{"v":2,"kind":"event","reg":"${REG}","seq":1}`)
  appendBytes(story.log, '{"v":1,"kind":"receipt"}')
  await sign(story.log)
  const found = await story.verify('--all')
  expect(found.out).toContain('1 leaf of 2 event are unknown')
  expect(found).toMatchObject({ status: 0, err: '' })
  appendBytes(story.log, '{"kind":"event","v":1}')
  await sign(story.log)
  expectFinding(await story.verify('--all'), 'leaf 387 is not a valid leaf')
})

it('saves proofs that verify without the service', async () => {
  await using story = await tellStory()
  const dir = join(story.dir, 'proofs')
  const { log } = story
  const saved = await story.verify('--save', dir)
  expect(saved.out).toContain(`145 proofs in ${dir}`)
  await story.service.stop()
  const file = join(dir, readdirSync(dir).find((name) => /event-134-.*tlog-proof$/.test(name)) ?? '')
  const found = await run('--offline', file, '--vkey', log.vkey)
  expect(found.out).toContain(`"reg":"${REG}","seq":134`)
  expect(found.out).toMatch(/^opening +ok +\{"id":/m)
  expect(found).toMatchObject({ status: 0, err: '' })
  const opening = file.replace('.tlog-proof', '.opening.json')
  writeFileSync(opening, readFileSync(opening, 'utf8').replace('"facts": "{', '"facts": " {'))
  expectFinding(await run('--offline', file, '--vkey', log.vkey), 'does not open this leaf (other_facts)')
  const proof = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    proof.replace(/index (\d+)/, (_, index) => `index ${Number(index) - 1}`),
  )
  expectFinding(await run('--offline', file, '--vkey', log.vkey), 'is not valid (not_included)')
  expectFinding(await run('--offline', file, '--vkey', (await newTestLog()).vkey), 'is not valid (unsigned)')
  expect(await run('--offline', join(dir, 'none'), '--vkey', log.vkey)).toMatchObject({ status: 2 })
})

it('exits with 2 if it cannot complete', async () => {
  await using story = await tellStory()
  const { service } = story
  const stopped = async (words: string, ...args: string[]) => {
    const { status, out, err } = await story.verify(...args)
    expect({ status, text: out + err }).toEqual({ status: 2, text: expect.stringContaining(words) })
  }
  service.tamper = inJson('/log-entries', () => ({ rows: [] }))
  await stopped('something other than a list')
  service.tamper = (path) => (path.includes('/tile/') ? new Response('gone', { status: 500 }) : null)
  await stopped('status 500')
  service.tamper = (path) => (path.includes('/log/') ? Response.json(NOT_FOUND, { status: 404 }) : null)
  await stopped('the registry has no transparency log')
  service.tamper = (path) => (path.includes('/inputs') ? new Response('<html>', { status: 404 }) : null)
  await stopped('is not that of a registry')
  service.tamper = () => null
  writeFileSync(story.state, '{}')
  await stopped('was not written by this command', '--state', story.state)
  const nowhere = await run(`http://127.0.0.1:${await freePort()}`, REG)
  expect(nowhere).toMatchObject({ status: 2, out: expect.stringContaining('the registry does not respond') })
})

it('exits with 1 if a check fails, even if other checks cannot complete', async () => {
  await using story = await tellStory()
  event(story, 130).source = 'peer'
  story.service.tamper = (path) => (path.includes('/history') ? new Response(null, { status: 500 }) : null)
  expectFinding(await story.verify(), 'event 130 does not match', 'status 500')
})

it('makes at most six requests at a time, and sends the key only where it shows more of the agent', async () => {
  await using story = await tellStory()
  await story.goOn(1_500) // as many bundles as a client could read at once
  let [now, most] = [0, 0]
  const withKey: string[] = []
  const { verdict } = await verifyAgent(story.service.url, REG, {
    key: OWNER_KEY,
    also: [eventsCheck, historyCheck, wholeLogCheck()],
    fetch: async (url, init) => {
      if (new Headers(init.headers).has('Authorization')) withKey.push(url.slice(story.service.url.length))
      most = Math.max(most, ++now)
      return fetch(url, init).finally(() => --now)
    },
  })
  expect(verdict).toBe('verified')
  expect(most).toBe(6)
  expect(withKey.length).toBeGreaterThan(3)
  const readers = /^\/api\/v1\/(agents\/[^/]+\/(activity|log-entries)\?|verify\/[^/]+\/full$)/
  expect(withKey.filter((path) => !readers.test(path))).toEqual([])
})
