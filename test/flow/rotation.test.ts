import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import { readSecrets } from '../../local/secrets.ts'
import { type Served, serve } from '../../local/stand-ins/serve.ts'
import type { Worker } from '../../local/worker.ts'
import { changeSettings } from '../../scripts/ops/change.ts'
import { rotate } from '../../scripts/ops/rotate.ts'
import { describeRotation, rotateSecrets } from '../../scripts/ops/secrets.ts'
import { ALL_SETTINGS, OWNER_SETTING } from '../../scripts/ops/settings.ts'
import { readSettings } from '../../scripts/ops/site.ts'
import { seal, unseal } from '../../src/lib/crypto.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../src/lib/webhook-signature.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { type Integration, newIntegration } from '../support/deliveries.ts'
import { type ApiResponse, type Body, expectError, ownStack } from '../support/harness.ts'
import { acceptedWith, expectSigned } from '../support/signature.ts'
import { settingsOf } from '../support/worker-settings.ts'
import { runBare } from '../support/workerd.ts'

delete process.env.QSTASH_URL
const own = await ownStack()
const port = await freePort()
afterAll(own.stop)

describe('a rotation of SECRETS_KEY', () => {
  const newKey = () => randomBytes(32).toString('base64')
  const first = readSecrets(own.dir).secrets_key
  const integrations: Integration[] = []
  afterAll(() => Promise.all(integrations.map(({ stop }) => stop())))

  async function newOne(): Promise<Integration> {
    const made = await newIntegration(own)
    integrations.push(made)
    return made
  }

  /** Starts the Worker with these keys, as a deployment does. */
  async function deploy(secrets_key: string, previous_secrets_key?: string): Promise<void> {
    const secrets = { ...readSecrets(own.dir), secrets_key, previous_secrets_key }
    await own.stack.worker.stop()
    await writeFile(join(own.dir, 'secrets.json'), JSON.stringify(secrets))
    await own.stack.restartWorker()
  }

  /** Registers an agent on the platform, and expects its webhook in one attempt, signed with its secret. */
  async function expectDelivery({ operator, platform, receiver }: Integration): Promise<Body> {
    const before = receiver.received.length
    await own.newAgent(operator, { platform_slug: platform.slug })
    const webhook = (await receiver.arrival(before + 1)).at(-1)
    if (!webhook) throw new Error('no webhook')
    expectSigned(webhook, platform.webhook_secret)
    expect(receiver.received).toHaveLength(before + 1)
    return webhook
  }

  async function stored({ platform }: Integration): Promise<Body> {
    const secrets = 'select webhook_secret, previous_webhook_secret from platforms where slug = $1'
    return (await own.sql(secrets, [platform.slug]))[0]
  }

  const opens = (key: string, sealed: string) => unseal(key, WEBHOOK_SECRET_PURPOSE, sealed)

  const move = (current: string, previous: string) => rotateSecrets(own.database_url, { current, previous })

  const [second, third] = [newKey(), newKey()]
  let [one, two] = [] as unknown as [Integration, Integration]
  /** Finishes a sign-in that was started under the first key. */
  let abandoned: () => Promise<ApiResponse>

  it('unseals with the previous key and seals with the new one before secrets are moved', async () => {
    one = await newOne()
    await expectDelivery(one)
    const [begun, late] = await Promise.all([own.walkToCallback(), own.walkToCallback()])
    await deploy(second, first)
    const finish = ({ path, cookie }: typeof begun) => own.api('GET', path, { headers: { cookie } })
    expect(await finish(begun)).toMatchObject({ status: 200, body: { session_token: expect.any(String) } })
    abandoned = () => finish(late)
    await expectDelivery(one)
    two = await newOne()
    await expectDelivery(two)
    expect(await opens(first, (await stored(one)).webhook_secret)).toBe(one.platform.webhook_secret)
    expect(await opens(second, (await stored(two)).webhook_secret)).toBe(two.platform.webhook_secret)
  })

  it('keeps both secrets of a platform that rotates its own', async () => {
    const older = one.platform.webhook_secret
    const { body } = await one.ask('POST', '/webhook-secret')
    one.platform.webhook_secret = body.webhook_secret
    const { webhook_secret: newest, previous_webhook_secret: previous } = await stored(one)
    expect(await opens(second, newest)).toBe(body.webhook_secret)
    expect(await opens(first, previous)).toBe(older)
    const webhook = await expectDelivery(one)
    expect(acceptedWith(webhook, older, new Date())).toBe(true)
  })

  it('moves every secret, so that the previous key can be removed', async () => {
    expect(await move(second, first)).toEqual({ platforms: 2, previous: 1, unopened: [] })
    const { webhook_secret: newest, previous_webhook_secret: previous } = await stored(one)
    expect(await Promise.all([opens(second, newest), opens(second, previous)])).not.toContain(null)
    const webhook = await expectDelivery(one)
    expect(String(webhook.headers['webhook-signature']).split(' ')).toHaveLength(2)

    expect(await move(second, first)).toMatchObject({ previous: 0 })
    await deploy(second)
    await expectDelivery(one)
    await expectDelivery(two)
    expectError(await abandoned(), 400, 'VALIDATION_ERROR')
  })

  it('keeps and names secrets that neither key opens, and can be undone for a key that was not deployed', async () => {
    const broken = await newOne()
    const { slug, webhook_secret } = broken.platform
    const other = await seal(newKey(), WEBHOOK_SECRET_PURPOSE, webhook_secret)
    const foreign = await seal(second, 'sign-in', webhook_secret)
    await own.sql('update platforms set webhook_secret = $2, previous_webhook_secret = $3 where slug = $1', [
      slug,
      other,
      foreign,
    ])
    expect(describeRotation(await move(third, second))).toBe(
      `${slug}: webhook_secret cannot be decrypted with either key\n` +
        `${slug}: previous_webhook_secret cannot be decrypted with either key\n` +
        '3 platforms: 3 secrets were encrypted with the current key, 2 cannot be decrypted',
    )
    expect(await stored(broken)).toEqual({ webhook_secret: other, previous_webhook_secret: foreign })
    expect(await move(second, third)).toMatchObject({ previous: 3 })
    await expectDelivery(one)
    await own.sql(
      'update platforms set webhook_secret = $2, previous_webhook_secret = null where slug = $1',
      [slug, await seal(second, WEBHOOK_SECRET_PURPOSE, webhook_secret)],
    )
  })

  it('loses no secret when platforms rotate theirs meanwhile', async () => {
    await deploy(third, second)
    const latest = new Map<Integration, string>()
    const change = async (who: Integration) => {
      for (let n = 0; n < 10; n++) {
        const { body } = await who.ask('POST', '/webhook-secret')
        latest.set(who, body.webhook_secret)
      }
    }
    const commands = async () => {
      for (let n = 0; n < 10; n++) await move(third, second)
    }
    await Promise.all([change(one), change(two), commands(), commands()])
    await deploy(third)
    for (const [who, secret] of latest) {
      who.platform.webhook_secret = secret
      const { webhook_secret: newest, previous_webhook_secret: previous } = await stored(who)
      expect(await opens(third, newest)).toBe(secret)
      expect(await opens(third, previous)).not.toBeNull()
      await expectDelivery(who)
    }
  })
})

describe('the commands that rotate a secret in the settings file and the Worker', () => {
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
  let wrangler: Served
  const sent = new Set<string>()
  let reporter: Awaited<ReturnType<typeof own.newReporter>>

  beforeAll(async () => {
    const settings = settingsOf(own.stack.dir)
    vars = { ...settings, LOG_ORIGIN: 'localhost/log', BASE_URL: `http://localhost:${port}` }
    worker = await runBare({ dir: own.dir, port, vars })
    const lines = Object.entries({ OWNER_DATABASE_URL: own.database_url, ...vars })
    await writeFile(file, `# kept\n${lines.map(([name, value]) => `${name}='${value}'\n`).join('')}`)
    process.env.WRANGLER = join(own.dir, 'wrangler.cjs')
    await writeFile(process.env.WRANGLER, WRANGLER)
    wrangler = await serve('wrangler', async (request, response) => {
      const changed = (await json(request)) as Record<string, string>
      for (const name of Object.keys(changed)) sent.add(name)
      const changes = Object.entries({ ...vars, ...changed })
      vars = Object.fromEntries(changes.filter(([, value]) => value))
      await worker.stop()
      worker = await runBare({ dir: own.dir, port, vars })
      response.end()
    })
    process.env.WRANGLER_URL = wrangler.url
    reporter = await own.newReporter()
  })
  afterAll(async () => {
    delete process.env.WRANGLER
    await wrangler.stop()
    await worker.stop()
  })

  const report = () =>
    api('POST', '/activity/report', {
      token: reporter.key,
      body: { reg: reporter.reg, event_type: 'heartbeat' },
    })

  it('changes settings in the file and for the Worker; both keep the rest', async () => {
    const { LOG_WITNESSES = '' } = vars
    const contact = { SECURITY_CONTACT: "mailto:o'neil@registry.example" }
    await changeSettings(target, { ...contact, LOG_WITNESSES: `${LOG_WITNESSES}\n# of two lines` })
    expect(vars.LOG_WITNESSES).toContain('\n')
    expect((await api('GET', '//.well-known/security.txt')).text).toContain("mailto:o'neil@registry.example")
    await changeSettings(target, { SECURITY_CONTACT: '', LOG_WITNESSES })
    expect((await api('GET', '//.well-known/security.txt')).status).toBe(404)
    expect(readFileSync(file, 'utf8')).toMatch(/^# kept\n/)
    expect(readFileSync(file, 'utf8')).not.toContain('# of two lines')
    await writeFile(file, `${readFileSync(file, 'utf8')}SECURITY_CONTACT=mailto:a@b.example\r\n`)
    await changeSettings(target, { SECURITY_CONTACT: '' })
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
    expect(await rotate(target, ['SECRETS_KEY'])).toMatch(
      /platforms: [1-9] secrets were encrypted with the current key, 0/,
    )
    expect(await stored()).not.toEqual([before])
    expect(vars.SECRETS_KEY).not.toBe(old)
    expect(vars).not.toHaveProperty('SECRETS_KEY_PREVIOUS')
    await stop()
  })

  it('rotates CREDENTIALS_KEY: old keys work until it is dropped', async () => {
    for (const step of ['add', 'use']) {
      await rotate(target, ['CREDENTIALS_KEY', step])
      expect((await report()).status, step).toBe(201)
    }
    await expect(rotate(target, ['CREDENTIALS_KEY', 'add'])).rejects.toThrow('there are 2 keys')
    await rotate(target, ['CREDENTIALS_KEY', 'drop'])
    expect((await report()).status).toBe(401)
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

  it('sets new secrets that their vendors have made', async () => {
    const prefixes = {
      UPSTASH_REDIS_REST_TOKEN: '',
      QSTASH_TOKEN: '',
      QSTASH_CURRENT_SIGNING_KEY: 'sig_',
      QSTASH_NEXT_SIGNING_KEY: 'sig_',
      OIDC_CLIENT_SECRET: '',
      STRIPE_SECRET_KEY: 'rk_test_',
      STRIPE_WEBHOOK_SECRET: 'whsec_',
      MAIL_API_KEY: 're_',
      MAIL_WEBHOOK_SECRET: 'whsec_',
    }
    const secret = () => randomBytes(24).toString('base64')
    const changes = Object.fromEntries(
      Object.entries(prefixes).map(([name, prefix]) => [name, prefix + secret()]),
    )
    await changeSettings(target, changes)
    expect(vars).toMatchObject(changes)
    expect(readSettings(file)).toMatchObject(changes)
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
})
