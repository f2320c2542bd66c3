import { describe, expect, it } from 'vitest'
import { openingKeys, parseEnv } from '../../src/env.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const SETTINGS = {
  ASSETS: { fetch },
  BASE_URL: 'https://registry.example.org',
  DATABASE_URL: 'postgres://nobody@localhost/none',
  UPSTASH_REDIS_REST_URL: 'https://redis.example.org',
  UPSTASH_REDIS_REST_TOKEN: 'x',
  QSTASH_URL: 'https://qstash.example.org',
  QSTASH_TOKEN: 'x',
  QSTASH_CURRENT_SIGNING_KEY: 'x',
  QSTASH_NEXT_SIGNING_KEY: 'x',
  OIDC_ISSUER: 'https://id.example.org',
  OIDC_CLIENT_ID: 'x',
  OIDC_CLIENT_SECRET: 'x',
  STRIPE_SECRET_KEY: 'x',
  STRIPE_WEBHOOK_SECRET: 'x',
  SECRETS_KEY: key(1),
}

describe('the settings', () => {
  it.each([
    ['ALLOW_TEST_CLOCK', 'true'],
    ['ALLOW_LOCAL_WEBHOOKS', 'true'],
    ['WELL_KNOWN_BASE_URL', 'http://127.0.0.1:1'],
  ])('keep %s to a local stack', (name, value) => {
    expect(() => parseEnv({ ...SETTINGS, [name]: value })).toThrow(
      new RegExp(`^settings: ${name}: must be .* when BASE_URL is https$`),
    )
    expect(() => parseEnv({ ...SETTINGS, [name]: value, BASE_URL: 'http://localhost:1' })).not.toThrow()
  })

  it.each(['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'])(
    'refuse a %s of another length, and do not show it',
    (name) => {
      for (const wrong of [16, 31, 33]
        .map((length) => Buffer.alloc(length, 3))
        .map((bytes) => bytes.toString('base64'))) {
        const read = () => parseEnv({ ...SETTINGS, [name]: wrong })
        expect(read).toThrow(new RegExp(`^settings: ${name}: must be 32 bytes in base64$`))
        expect(read).not.toThrow(wrong)
      }
    },
  )

  it('name every wrong one at once, and no value', () => {
    const secret = 'reg-secret-that-is-no-address'
    const read = () => parseEnv({ ...SETTINGS, DATABASE_URL: secret, QSTASH_URL: secret, QSTASH_TOKEN: '' })
    for (const name of ['DATABASE_URL', 'QSTASH_URL', 'QSTASH_TOKEN']) expect(read).toThrow(name)
    expect(read).not.toThrow(secret)
  })

  it('open with the key of now, and with the one before while there is one', () => {
    expect(openingKeys(parseEnv({ ...SETTINGS }))).toEqual([key(1)])
    expect(openingKeys(parseEnv({ ...SETTINGS, SECRETS_KEY_PREVIOUS: '' }))).toEqual([key(1)])
    const both = parseEnv({ ...SETTINGS, SECRETS_KEY_PREVIOUS: key(2) })
    expect(openingKeys(both)).toEqual([key(1), key(2)])
  })
})
