import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepSecrets } from '../../local/secrets.ts'
import { type Rotated, rotateSecrets } from '../../scripts/secrets-rotate.ts'
import { seal, unseal } from '../../src/lib/crypto.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../src/webhooks/relay/sign.ts'
import { type Integration, newIntegration } from '../support/deliveries.ts'
import { type ApiResponse, type Body, expectError, ownStack } from '../support/harness.ts'
import { acceptedWith, expectSigned } from '../support/signature.ts'

const ROOT = join(import.meta.dirname, '../..')
const newKey = () => randomBytes(32).toString('base64')

delete process.env.QSTASH_URL
const own = await ownStack()
const first = keepSecrets(own.dir).secrets_key
const integrations: Integration[] = []
let one: Integration

beforeAll(async () => {
  one = await integration()
})
afterAll(async () => {
  await Promise.all(integrations.map(({ stop }) => stop()))
  await own.stop()
})

async function integration(): Promise<Integration> {
  const made = await newIntegration(own)
  integrations.push(made)
  return made
}

/** Starts the Worker with these keys, as a deployment does. */
async function deploy(secrets_key: string, previous_secrets_key?: string): Promise<void> {
  const secrets = { ...keepSecrets(own.dir), secrets_key, previous_secrets_key }
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

const stored = async ({ platform }: Integration): Promise<Body> =>
  (
    await own.sql(`select webhook_secret, previous_webhook_secret from platforms where slug = $1`, [
      platform.slug,
    ])
  )[0]

const opens = (key: string, sealed: string) => unseal(key, WEBHOOK_SECRET_PURPOSE, sealed)

/** Runs the command; returns its exit code and output. */
async function command(variables: Record<string, string>, ...words: string[]) {
  const env = { ...process.env, DATABASE_URL: own.database_url, ...variables }
  const run = promisify(execFile)(process.execPath, ['scripts/secrets-rotate.ts', ...words], {
    cwd: ROOT,
    env,
  })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error) => ({ code: error.code as number, text: `${error.stdout}${error.stderr}` }),
  )
}

const rotate = (current: string, previous: string): Promise<Rotated> =>
  rotateSecrets(own.database_url, { current, previous })

const check = (current: string, previous: string): Promise<Rotated> =>
  rotateSecrets(own.database_url, { current, previous }, { check: true })

describe('a rotation of SECRETS_KEY', () => {
  const second = newKey()
  let two: Integration
  /** Finishes a sign-in that was started under the first key. */
  let abandoned: () => Promise<ApiResponse>

  it('unseals with the previous key and seals with the new one before the command runs', async () => {
    await expectDelivery(one)
    const [begun, late] = await Promise.all([own.walkToCallback(), own.walkToCallback()])
    await deploy(second, first)
    const finish = ({ path, cookie }: typeof begun) => own.api('GET', path, { headers: { cookie } })
    expect(await finish(begun)).toMatchObject({ status: 200, body: { session_token: expect.any(String) } })
    abandoned = () => finish(late)
    await expectDelivery(one)
    two = await integration()
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

  it('reports with --check what is left, without changing anything', async () => {
    const before = await stored(one)
    const { code, text } = await command({ SECRETS_KEY: second, SECRETS_KEY_PREVIOUS: first }, '--check')
    expect(text).toBe('2 platforms: 1 secrets are encrypted with the previous key, 0 cannot be decrypted\n')
    expect(code).toBe(1)
    expect(await stored(one)).toEqual(before)
  })

  it('moves every secret by the command, so that the previous key can be removed', async () => {
    const keys = { SECRETS_KEY: second, SECRETS_KEY_PREVIOUS: first }
    const moved = await command(keys)
    expect(moved).toEqual({
      code: 0,
      text: '2 platforms: 1 secrets were encrypted with the current key, 0 cannot be decrypted\n',
    })
    const { webhook_secret: newest, previous_webhook_secret: previous } = await stored(one)
    expect(await Promise.all([opens(second, newest), opens(second, previous)])).not.toContain(null)
    const webhook = await expectDelivery(one)
    expect(String(webhook.headers['webhook-signature']).split(' ')).toHaveLength(2)

    expect(await check(second, first)).toEqual({ platforms: 2, previous: 0, unopened: [] })
    await deploy(second)
    await expectDelivery(one)
    await expectDelivery(two)
    expectError(await abandoned(), 400, 'VALIDATION_ERROR')
  })

  it('has nothing to do when the command runs again', async () => {
    const before = await stored(one)
    expect(await rotate(second, first)).toEqual({ platforms: 2, previous: 0, unopened: [] })
    expect(await stored(one)).toEqual(before)
  })

  it('can be undone for a key that was not deployed', async () => {
    const stray = newKey()
    expect(await rotate(stray, second)).toMatchObject({ previous: 3, unopened: [] })
    await rotate(second, stray)
    await expectDelivery(one)
    await expectDelivery(two)
  })

  it('keeps and names secrets that neither key opens', async () => {
    const broken = await integration()
    const { slug, webhook_secret } = broken.platform
    const other = await seal(newKey(), WEBHOOK_SECRET_PURPOSE, webhook_secret)
    const foreign = await seal(second, 'sign-in', webhook_secret)
    await own.sql('update platforms set webhook_secret = $2, previous_webhook_secret = $3 where slug = $1', [
      slug,
      other,
      foreign,
    ])
    const third = newKey()
    const { code, text } = await command({ SECRETS_KEY: third, SECRETS_KEY_PREVIOUS: second })
    expect(code).toBe(1)
    expect(text).toBe(
      `${slug}: webhook_secret cannot be decrypted with either key\n` +
        `${slug}: previous_webhook_secret cannot be decrypted with either key\n` +
        '3 platforms: 3 secrets were encrypted with the current key, 2 cannot be decrypted\n',
    )
    expect(await stored(broken)).toEqual({ webhook_secret: other, previous_webhook_secret: foreign })
    await rotate(second, third)
  })

  it('loses no secret when platforms rotate theirs while the command runs', async () => {
    const third = newKey()
    await deploy(third, second)
    const latest = new Map<Integration, string>()
    const change = async (who: Integration) => {
      for (let n = 0; n < 10; n++) {
        const { body } = await who.ask('POST', '/webhook-secret')
        latest.set(who, body.webhook_secret)
      }
    }
    const commands = async () => {
      for (let n = 0; n < 10; n++) await rotate(third, second)
    }
    await Promise.all([change(one), change(two), commands(), commands()])
    for (const [who, secret] of latest) {
      who.platform.webhook_secret = secret
      const { webhook_secret: newest, previous_webhook_secret: previous } = await stored(who)
      expect(await opens(third, newest)).toBe(secret)
      expect(await opens(third, previous)).not.toBeNull()
      await expectDelivery(who)
    }
  })
})

it('rejects unknown arguments', async () => {
  const keys = { SECRETS_KEY: newKey(), SECRETS_KEY_PREVIOUS: newKey() }
  expect(await command(keys, '--chekc')).toEqual({ code: 1, text: expect.stringMatching(/^usage: /) })
})
