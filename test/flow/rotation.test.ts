import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import type { Worker } from '../../local/worker.ts'
import { changeSettings } from '../../scripts/ops/change.ts'
import { rotate } from '../../scripts/ops/rotate.ts'
import { ALL_SETTINGS, OWNER_SETTING } from '../../scripts/ops/settings.ts'
import { readSettings } from '../../scripts/ops/site.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { newIntegration } from '../support/deliveries.ts'
import { ownStack } from '../support/harness.ts'
import { settingsOf } from '../support/worker-settings.ts'
import { runBare } from '../support/workerd.ts'

const own = await ownStack()
const port = await freePort()
const file = join(own.dir, 'production.env')
const target = { file, environment: 'production', settledMs: 0 }
const api = (method: string, path: string, call = {}) =>
  own.api(method, path, call, `http://localhost:${port}`)

/** A stand-in for wrangler: sends the changed settings here, where the Worker is started again with them. */
const WRANGLER = `const { readFileSync } = require('node:fs')
const body = readFileSync(process.argv[4], 'utf8')
fetch(process.env.WRANGLER_URL, { method: 'POST', body }).then(({ ok }) => process.exit(ok ? 0 : 1))
`
let vars: Record<string, string>
let worker: Worker
const sent = new Set<string>()
let reporter: Awaited<ReturnType<typeof own.newReporter>>

const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const changed = JSON.parse(Buffer.concat(parts).toString())
  for (const name of Object.keys(changed)) sent.add(name)
  const changes = Object.entries({ ...vars, ...changed })
  vars = Object.fromEntries(changes.flatMap(([name, value]) => (value ? [[name, String(value)]] : [])))
  await worker.stop()
  worker = await runBare({ dir: own.dir, port, vars })
  response.end()
})

beforeAll(async () => {
  const settings = settingsOf(own.stack.dir)
  vars = { ...settings, LOG_ORIGIN: 'localhost/log', BASE_URL: `http://localhost:${port}` }
  worker = await runBare({ dir: own.dir, port, vars })
  const lines = Object.entries({ OWNER_DATABASE_URL: own.database_url, ...vars })
  await writeFile(file, `# kept\n${lines.map(([name, value]) => `${name}='${value}'\n`).join('')}`)
  process.env.WRANGLER = join(own.dir, 'wrangler.cjs')
  await writeFile(process.env.WRANGLER, WRANGLER)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.env.WRANGLER_URL = `http://127.0.0.1:${Object(server.address()).port}`
  reporter = await own.newReporter()
})
afterAll(async () => {
  delete process.env.WRANGLER
  server.close()
  await worker.stop()
  await own.stop()
})

const report = async (key = reporter.key) =>
  (
    await api('POST', '/activity/report', {
      token: key,
      body: { reg: reporter.reg, event_type: 'heartbeat' },
    })
  ).status

it('changes settings in the file and for the Worker; both keep the rest', async () => {
  await changeSettings(target, { SECURITY_CONTACT: "mailto:o'neil@registry.example" })
  expect((await api('GET', '//.well-known/security.txt')).text).toContain("mailto:o'neil@registry.example")
  await changeSettings(target, { SECURITY_CONTACT: '' })
  expect((await api('GET', '//.well-known/security.txt')).status).toBe(404)
  expect(readFileSync(file, 'utf8')).toMatch(/^# kept\n/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { OWNER_DATABASE_URL: _, ...rest } = readSettings(file)
  expect(rest).toEqual(vars)
  await expect(changeSettings(target, { SECRET_KEY: 'x' })).rejects.toThrow('unknown settings: SECRET_KEY')
  await expect(changeSettings(target, { LOG_KEY: 'x' })).rejects.toThrow('not changed')
})

it('does not change a Worker that has other settings than the file', async () => {
  const text = readFileSync(file, 'utf8')
  await writeFile(file, text.replace(/^STRIPE_SECRET_KEY=.*$/m, 'STRIPE_SECRET_KEY=rk_test_old'))
  await expect(changeSettings(target, { MAIL_FROM: 'a@b.example' })).rejects.toThrow(
    ': STRIPE_SECRET_KEY. Is the',
  )
  await writeFile(file, text)
})

it('rotates SECRETS_KEY, and webhook secrets can be decrypted', async () => {
  const { platform, stop } = await newIntegration(own)
  const stored = () => own.sql('select webhook_secret from platforms where slug = $1', [platform.slug])
  const [before] = await stored()
  const old = vars.SECRETS_KEY
  expect(await rotate(target, ['SECRETS_KEY'])).toMatch(/: 1 secrets were encrypted with the current key, 0/)
  expect(await stored()).not.toEqual([before])
  expect(vars.SECRETS_KEY).not.toBe(old)
  expect(vars).not.toHaveProperty('SECRETS_KEY_PREVIOUS')
  await stop()
})

it('rotates CREDENTIALS_KEY: old keys work until it is dropped', async () => {
  for (const step of ['add', 'use']) {
    await rotate(target, ['CREDENTIALS_KEY', step])
    expect(await report(), step).toBe(201)
  }
  await expect(rotate(target, ['CREDENTIALS_KEY', 'add'])).rejects.toThrow('there are 2 keys')
  await rotate(target, ['CREDENTIALS_KEY', 'drop'])
  expect(await report()).toBe(401)
})

it('rotates TOKEN_KEYS in steps, and at once after a leak', async () => {
  const kids = async () =>
    (await api('GET', '//.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid)
  await rotate(target, ['TOKEN_KEYS', 'replace'])
  const [old] = await kids()
  await rotate(target, ['TOKEN_KEYS', 'add'])
  const [, added] = await kids()
  await rotate(target, ['TOKEN_KEYS', 'use'])
  expect(await kids()).toEqual([added, old])
  await rotate(target, ['TOKEN_KEYS', 'drop'])
  expect(await kids()).toEqual([added])
})

it.each([
  ['UPSTASH_REDIS_REST_TOKEN', ''],
  ['QSTASH_TOKEN', ''],
  ['OIDC_CLIENT_SECRET', ''],
  ['STRIPE_SECRET_KEY', 'rk_test_'],
  ['STRIPE_WEBHOOK_SECRET', 'whsec_'],
  ['MAIL_API_KEY', 're_'],
  ['MAIL_WEBHOOK_SECRET', 'whsec_'],
])('sets a new %s that its vendor has made', async (name, prefix) => {
  const value = prefix + randomBytes(24).toString('base64')
  await changeSettings(target, { [name]: value })
  expect([vars[name], readSettings(file)[name]]).toEqual([value, value])
})

it('sets both signing keys of QStash together', async () => {
  await changeSettings(target, {
    QSTASH_CURRENT_SIGNING_KEY: vars.QSTASH_NEXT_SIGNING_KEY ?? '',
    QSTASH_NEXT_SIGNING_KEY: 'sig_new',
  })
  expect(vars.QSTASH_NEXT_SIGNING_KEY).toBe('sig_new')
})

it('rotates the password of the Worker for the database', async () => {
  const old = vars.DATABASE_URL
  await rotate(target, ['DATABASE_URL'])
  expect(vars.DATABASE_URL).not.toBe(old)
  expect((await api('GET', `/agents/${reporter.reg}`)).status).toBe(200)
})

it('replaces LOG_KEY by LOG_KEY_NEXT', async () => {
  const { skey: key } = await makeSignerKey('localhost/log')
  await changeSettings(target, { LOG_KEY_NEXT: key })
  await changeSettings(target, { LOG_KEY: key, LOG_KEY_NEXT: '' })
  expect([vars.LOG_KEY, vars.LOG_KEY_NEXT]).toEqual([key, undefined])
})

it('changes OWNER_DATABASE_URL in the file alone', async () => {
  const url = own.database_url.replace(/\?.*|$/, '?application_name=owner')
  await changeSettings(target, { [OWNER_SETTING]: url })
  expect(readSettings(file)[OWNER_SETTING]).toBe(url)
  expect(sent).not.toContain(OWNER_SETTING)
})

it('has changed every secret but IDENTITY_KEY', () => {
  const secrets = ALL_SETTINGS.filter(({ secret }) => secret).map(({ name }) => name)
  expect(secrets.filter((name) => !sent.has(name))).toEqual([OWNER_SETTING, 'IDENTITY_KEY'])
})
