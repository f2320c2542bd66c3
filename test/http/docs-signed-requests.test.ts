import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { registeredAgents, signedFetch, signRequest, verifyRequest } from '@agentreg/verify'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { component, verifySignature, webcrypto } from 'http-message-sig'
import { calculateJwkThumbprint, importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestHarness } from 'wrangler'
import { freePort } from '../../local/port.ts'
import { launch } from '../../local/process.ts'
import { parseDictionary } from '../../packages/verify/fields.ts'
import { type KeyPair, newAgentKey } from '../support/agent-keys.ts'
import { type Body, shared } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import { folderWith, programsOf } from '../support/programs.ts'

const PAGE = 'use/signed-requests.md'
const VERIFY = join(import.meta.dirname, '../../packages/verify/index.ts')
const SHOP = 'https://shop.example'
const DIRECTORY = 'https://agent.example/.well-known/http-message-signatures-directory'
const OTHER = 'https://other.example'
const EXPRESS = 'express@5.1.0'
const STOP_MS = 5_000
const WORKER = 'name = "shop"\nmain = "worker.js"\ncompatibility_date = "2026-10-01"\n'

/** Serves the default export of a program, whatever kind of application it is. */
const SERVE = `const { default: app } = await import(process.argv[2])
const port = Number(process.env.PORT)
if (app.listen) app.listen(port, '127.0.0.1')
else (await import('@hono/node-server')).serve({ fetch: (request) => app.fetch(request), port, hostname: '127.0.0.1' })
`
/** Sends to a receiver on this machine what is for the shop. */
const REROUTE = `const { fetch } = globalThis
globalThis.fetch = async (request) => {
  const { method, url, headers } = request
  return fetch(url.replace('${SHOP}', process.env.SHOP_URL), { method, headers, body: await request.arrayBuffer() })
}
`

const h = shared()
const run = promisify(execFile)
const stops: (() => Promise<unknown>)[] = []
let dir: string
let agent: Body
let key: KeyPair['key']

/** A program of the page, for this registry and this agent. */
const programOf = (heading: string) =>
  (programsOf(PAGE, heading, 'js')[0] ?? '')
    .replaceAll('https://registry.example', h.base_url)
    .replaceAll('REG-2026-0001-0042-U', agent.reg)
    .replace('@agentreg/verify', VERIFY)

async function newSigner() {
  const { operator, agent: made } = await h.newReporter()
  const { kid, pair } = await newAgentKey(h, operator, made.reg)
  return { made, kid, key: pair.key }
}

beforeAll(async () => {
  vi.stubEnv('CLOUDFLARE_CF_FETCH_ENABLED', 'false') // nothing leaves the machine
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
  const signer = await newSigner()
  agent = signer.made
  key = signer.key
  const folder = await folderWith({ 'serve.js': SERVE, 'key.json': JSON.stringify({ kid: signer.kid, key }) })
  stops.push(() => folder[Symbol.asyncDispose]())
  dir = folder.dir
}, SOON.timeout)
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  vi.unstubAllEnvs()
})

/** Starts a program of the page in Node; returns its URL. */
async function inNode(heading: string, cwd = dir): Promise<string> {
  const file = `${heading.replaceAll(' ', '-')}.js`
  await writeFile(join(cwd, file), programOf(heading))
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), KEY_FILE: 'key.json' }
  const started = launch(process.execPath, ['serve.js', `./${file}`], {
    cwd,
    env,
    stdio: 'ignore',
    lastSignal: 'KILL',
  })
  stops.push(() => started.end('SIGTERM', STOP_MS))
  const url = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(url), SOON)
  return url
}

/** Starts the program for Express, with packages of its own; null if npm cannot fetch them. */
async function inExpress(): Promise<string | null> {
  const folder = join(dir, 'express')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'serve.js'), SERVE)
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', EXPRESS]
  const isInstalled = await run('npm', install, { cwd: folder }).then(
    () => true,
    () => false,
  )
  return isInstalled ? inNode('Express', folder) : null
}

/** Starts the program for Workers in their runtime; returns its URL. */
async function inWorkerd(heading: string): Promise<string> {
  await writeFile(join(dir, 'worker.js'), programOf(heading))
  await writeFile(join(dir, 'wrangler.toml'), WORKER)
  const runtime = createTestHarness({ root: dir, workers: [{ configPath: './wrangler.toml' }] })
  const { url } = await runtime.listen()
  stops.push(() => runtime.close())
  return String(url).replace(/\/$/, '')
}

/** Signs requests to the shop, and sends them to a URL. */
const sender = (url: string, by = key, change = (body: string) => body) =>
  signedFetch({
    key: by,
    signatureAgent: `${h.base_url}/agents/${agent.reg}/jwks.json`,
    fetch: async (request) => {
      const { method, headers } = request
      const body = change(await request.text())
      return fetch(request.url.replace(new URL(request.url).origin, url), {
        method,
        headers,
        ...(body && { body }),
      })
    },
  })

/** What a rejected request must be told: status and components to sign, but not why. */
async function expectRejected(response: Response): Promise<void> {
  expect(response.status).toBe(401)
  const accepted = parseDictionary(response.headers.get('Accept-Signature') ?? '')?.get('sig1')
  expect(accepted?.text).toMatch(
    /^\("@method" "@authority" "@path" "@query" "content-digest"\).*;tag="web-bot-auth"$/,
  )
  expect(await response.text()).not.toMatch(/no_signature|bad_/)
}

const order = { method: 'POST', body: '{"item":7}' }

describe('the programs of docs/use/signed-requests.md', () => {
  it.each([
    ['Hono', () => inNode('Hono')],
    ['Express', inExpress],
    ['Workers', () => inWorkerd('Workers')],
  ])('%s: stores only the order that the agent has signed', async (heading, start) => {
    const url = await start()
    if (url === null) return console.log(`${heading} skipped: npm cannot fetch ${EXPRESS}`)
    await writeFile(join(dir, 'sign.js'), programOf('Sign'))
    await writeFile(join(dir, 'reroute.js'), REROUTE)
    const env = { ...process.env, SHOP_URL: url, KEY_FILE: 'key.json' }
    const { stdout } = await run(process.execPath, ['--import', './reroute.js', 'sign.js'], { cwd: dir, env })
    expect(stdout).toBe('200 {"stored":{"item":7}}\n')

    await expectRejected(await fetch(`${url}/orders`, order))
    await expectRejected(await sender(url, (await newSigner()).key)(`${SHOP}/orders`, order))
    await expectRejected(await sender(url)(`${OTHER}/orders`, order))
    await expectRejected(await sender(url, key, () => '{"item":8}')(`${SHOP}/orders`, order))
  })

  it('MCP servers: a tool knows the agent that calls it', async () => {
    const url = await inNode('MCP servers')
    const client = new Client({ name: 'test', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(new URL(`${SHOP}/mcp`), { fetch: sender(url) })
    await client.connect(transport)
    const { content }: Body = await client.callTool({ name: 'order', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: `stored for ${agent.reg}` }])
    await client.close()
    await expectRejected(await fetch(`${url}/mcp`, { method: 'POST', body: '{}' }))
  })

  it('Whom to admit: one agent, only in good standing, an operator, checked people', () => {
    const rules = (programsOf(PAGE, 'Whom to admit', 'js')[0] ?? '').trim().split('\n')
    const operator_id = '01a200a8-4ffa-70cf-8a97-836a90c097cc'
    const named = { reg: 'REG-2026-0001-0042-U', standing: 'unrated', operator_kyc_status: 'none' }
    const callers = [
      null,
      named,
      { ...named, standing: 'attested' },
      { ...named, standing: 'established', reg: agent.reg },
      { reg: agent.reg, operator_id },
      { reg: agent.reg, operator_kyc_status: 'verified' },
    ]
    const admitted = rules.map((rule) => {
      const admits = new Function('agent', `return ${rule}`)
      return callers.flatMap((caller, n) => (admits(caller) ? [n] : []))
    })
    expect(admitted).toEqual([[1, 2], [2], [4], [5]])
  })

  it('Your own directory: its response has the key of the agent, signed with it', async () => {
    const url = await inNode('Your own directory')
    const response = await fetch(url + new URL(DIRECTORY).pathname)
    const { keys }: Body = await response.clone().json()
    expect(keys).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: key.x, kid: keys[0].kid, use: 'sig', alg: 'EdDSA' },
    ])
    expect(await calculateJwkThumbprint(keys[0])).toBe(keys[0].kid)
    expect(response.headers.get('content-type')).toBe('application/http-message-signatures-directory+json')
    const publicKey = await importJWK(keys[0], 'EdDSA')
    const received = {
      kind: 'response' as const,
      status: response.status,
      fields: [...response.headers].map(([name, value]) => ({ name, value })),
      request: new Request(DIRECTORY),
    }
    const policy = {
      algorithms: ['ed25519'],
      requiredComponents: [component('@authority', { req: true })],
      requiredParameters: ['created', 'expires', 'keyid', 'tag'],
    }
    const { parameters } = await verifySignature(received, {
      policy,
      resolveVerifier: () => webcrypto.verifier(publicKey),
    })
    expect(parameters).toMatchObject({ keyid: keys[0].kid, tag: 'http-message-signatures-directory' })

    const headers = await signRequest({ url: SHOP }, { key, signatureAgent: DIRECTORY })
    const agents = registeredAgents(h.base_url)
    const found = await verifyRequest(new Request(SHOP, { headers }), { agents, origin: SHOP })
    expect(found.agent?.reg).toBe(agent.reg)
  })
})
