import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { again } from '../support/variant.ts'
import { startBare } from '../support/workerd.ts'

const WORKER = `export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url)
    return pathname === '/health' ? new Response('ok') : env.ASSETS.fetch(request)
  },
}`

const out = await mkdtemp(join(tmpdir(), 'registry-workerd-'))
const bundle = { out, file: 'tiny.js', date: '2026-10-01', flags: '[]', gzippedBytes: 0 }

beforeAll(async () => {
  await writeFile(join(out, 'tiny.js'), WORKER)
  await writeFile(join(out, 'entry.js'), "export { default } from './tiny.js'")
})
afterAll(() => rm(out, { recursive: true, force: true }))

it('a Worker in the tests serves its asset files by their paths, and nothing else', async () => {
  const assets = join(out, 'assets')
  await mkdir(join(assets, 'docs'), { recursive: true })
  await writeFile(join(assets, 'docs/openapi.json'), '{"openapi":"3.1.0"}')
  const worker = await startBare(bundle, {}, { assets })
  onTestFinished(worker.kill)
  const found = await fetch(`${worker.url}/docs/openapi.json`)
  expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(await found.text()).toBe('{"openapi":"3.1.0"}')
  for (const path of ['/docs/other.json', '/docs/', '/docs', '/../tiny.js']) {
    expect((await fetch(worker.url + path)).status, path).toBe(404)
  }
})

it('a Worker whose port another process took is started again on another one', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port: taken } = other.address() as AddressInfo
  const ports = [taken, undefined]
  const worker = await again(async () => startBare(bundle, {}, { assets: out, port: ports.shift() }))
  onTestFinished(worker.kill)
  expect(ports).toEqual([])
  expect((await fetch(worker.url)).status).toBe(404)
})
