import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import { append, appendBytes, newTestLog, sign } from '../support/log/log.ts'
import { inJson, OWNER_KEY } from '../support/log/serve.ts'
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
  expectFinding(await story.verify('--all'), 'leaf 383 is not a valid leaf')
})

it('accepts hidden metadata only for a redacted event', async () => {
  await using story = await tellStory()
  event(story, 132).redacted = true
  event(story, 110).redacted = true
  expectFinding(
    await story.verify(),
    'event 132 is shown without its metadata, but no leaf states that it was redacted',
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
  expectFinding(
    await run('--offline', file, '--vkey', log.vkey),
    'the leaf does not result in the signed root',
  )
  expectFinding(
    await run('--offline', file, '--vkey', (await newTestLog()).vkey),
    'not signed by a pinned key',
  )
  expect(await run('--offline', join(dir, 'none'), '--vkey', log.vkey)).toMatchObject({ status: 2 })
})

it('exits with 2 if it cannot complete', async () => {
  await using story = await tellStory()
  const { service } = story
  service.tamper = inJson('/activity', () => ({ rows: [] }))
  expect(await story.verify()).toMatchObject({
    status: 2,
    err: expect.stringContaining('unexpected response'),
  })
  service.tamper = (path) => (path.includes('/tile/') ? new Response('gone', { status: 500 }) : null)
  expect(await story.verify()).toMatchObject({ status: 2, err: expect.stringContaining('status 500') })
  service.tamper = (path) => (path.includes('/log/') ? new Response(null, { status: 404 }) : null)
  expect(await story.verify()).toMatchObject({ status: 2, err: 'this service has no transparency log\n' })
  writeFileSync(story.state, '{}')
  service.tamper = () => null
  expect(await story.verify('--state', story.state)).toMatchObject({
    status: 2,
    err: expect.stringContaining('was not written by this command'),
  })
  expect(await run(`http://127.0.0.1:${await freePort()}`, REG)).toMatchObject({
    status: 2,
    err: expect.stringMatching(/no response from http:\/\/127.0.0.1:\d+ \(.*ECONNREFUSED/),
  })
})

it('exits with 1 if a check fails, even if other checks cannot complete', async () => {
  await using story = await tellStory()
  event(story, 130).source = 'peer'
  story.service.tamper = (path) => (path.includes('/history') ? new Response(null, { status: 500 }) : null)
  const found = await story.verify()
  expect(found).toMatchObject({ status: 1, err: expect.stringContaining('status 500') })
})

it('waits for Retry-After when it is over the rate limit', async () => {
  await using story = await tellStory()
  let rejected = 0
  story.service.tamper = (path) =>
    path.includes('/activity') && rejected++ < 2
      ? new Response(null, { status: 429, headers: { 'Retry-After': '0' } })
      : null
  expect(await story.verify()).toMatchObject({ status: 0, err: '' })
  expect(rejected).toBe(3)
})

it('makes at most six requests at a time, and sends the key only to the API', async () => {
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
  expect((await run(proxy.url, REG, '--all', '--key', OWNER_KEY)).status).toBe(0)
  expect(most).toBeLessThanOrEqual(6)
  expect(keys.length).toBeGreaterThan(3)
  expect(keys.every((path) => path.startsWith('/api/v1/'))).toBe(true)
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
