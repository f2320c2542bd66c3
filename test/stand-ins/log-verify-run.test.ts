import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
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
  const story = await tellStory()
  let [now, most] = [0, 0]
  const keys: string[] = []
  await using proxy = await startProxy(story.service.url, (path, authorization) => {
    if (authorization) keys.push(path)
    now += 1
    most = Math.max(most, now)
    return () => {
      now -= 1
    }
  })
  expect((await run(proxy.url, REG, '--issuer', story.service.url, '--all', '--key', OWNER_KEY)).status).toBe(
    0,
  )
  expect(most).toBeLessThanOrEqual(6)
  expect(keys.length).toBeGreaterThan(3)
  expect(
    keys.filter(
      (path) => !/^\/api\/v1\/(agents\/[^/]+\/(activity|log-entries)\?|verify\/[^/]+\/full$)/.test(path),
    ),
  ).toEqual([])
  await story[Symbol.asyncDispose]()
})

/** A proxy that calls `begin` at the start of each request, and its result at the end. */
async function startProxy(target: string, begin: (path: string, authorization?: string) => () => void) {
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    const end = begin(url, headers.authorization)
    const reply = await fetch(target + url, {
      headers: headers.authorization ? { Authorization: headers.authorization } : {},
    })
    const body = Buffer.from(await reply.arrayBuffer())
    end()
    response.writeHead(reply.status, { 'Content-Type': reply.headers.get('Content-Type') ?? '' }).end(body)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}
